#pragma once

#include <map>
#include <string>
#include <vector>

#include "viz/panels/look.hpp"

namespace ringside::window {

/// The panels' pictures, as textures of the current OpenGL context.
class Textures {
 public:
  Textures() = default;
  Textures(const Textures&) = delete;
  Textures& operator=(const Textures&) = delete;
  ~Textures();
  ImTextureID get(const panels::Picture& picture);

 private:
  struct Texture {
    unsigned id = 0;
    std::uint64_t version = 0;
    int width = 0, height = 0;
  };
  std::map<std::string, Texture, std::less<>> textures_;
  std::vector<ImU32> pixels_;
};

}  // namespace ringside::window
