#include "viz/window/textures.hpp"

#include <SFML/OpenGL.hpp>
#include <cstdint>

#ifndef GL_CLAMP_TO_EDGE
#define GL_CLAMP_TO_EDGE 0x812F  // OpenGL 1.2
#endif

namespace ringside::window {

Textures::~Textures() {
  for (const auto& [name, texture] : textures_) glDeleteTextures(1, &texture.id);
}

ImTextureID Textures::get(const panels::Picture& picture) {
  auto found = textures_.find(picture.name);
  if (found == textures_.end())
    found = textures_.emplace(std::string(picture.name), Texture{}).first;
  Texture& texture = found->second;
  const bool is_new = texture.id == 0;
  if (is_new || texture.version != picture.version || texture.width != picture.width ||
      texture.height != picture.height) {
    pixels_.assign(
        static_cast<std::size_t>(picture.width) * static_cast<std::size_t>(picture.height), 0);
    picture.paint(pixels_);
    if (is_new) glGenTextures(1, &texture.id);
    glBindTexture(GL_TEXTURE_2D, texture.id);
    for (const auto filter : {GL_TEXTURE_MIN_FILTER, GL_TEXTURE_MAG_FILTER})
      glTexParameteri(GL_TEXTURE_2D, filter, GL_NEAREST);
    for (const auto wrap : {GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T})
      glTexParameteri(GL_TEXTURE_2D, wrap, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, picture.width, picture.height, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, pixels_.data());
    texture.version = picture.version;
    texture.width = picture.width;
    texture.height = picture.height;
  }
  return (ImTextureID)(std::intptr_t)texture.id;  // a pointer or a number, by ImGui's version
}

}  // namespace ringside::window
