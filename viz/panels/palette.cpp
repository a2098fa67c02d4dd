#include "viz/panels/palette.hpp"

namespace ringside::panels {
namespace {

constexpr ImU32 rgb(std::uint32_t hex) {
  return IM_COL32(hex >> 16, hex >> 8 & 0xff, hex & 0xff, 0xff);
}

constexpr Palette dark{.page = rgb(0x14171b),
                       .panel = rgb(0x1a1e24),
                       .box = rgb(0x22272f),
                       .edge = rgb(0x3a414c),
                       .trough = rgb(0x2d333c),
                       .ink = rgb(0xeef1f4),
                       .quiet = rgb(0xa3abb5),
                       .faint = rgb(0x2b313a),
                       .accent = rgb(0x56b4e9),
                       .good = rgb(0x2fc197),
                       .bad = rgb(0xf0743e),
                       .warn = rgb(0xe9b44c),
                       .focus = rgb(0xffffff),
                       .is_dark = true};
/// For a projector: white, and ink that survives daylight.
constexpr Palette projector{.page = rgb(0xffffff),
                            .panel = rgb(0xf4f5f7),
                            .box = rgb(0xffffff),
                            .edge = rgb(0xb9c0c9),
                            .trough = rgb(0xe2e6ea),
                            .ink = rgb(0x101418),
                            .quiet = rgb(0x49525d),
                            .faint = rgb(0xd9dee3),
                            .accent = rgb(0x0072b2),
                            .good = rgb(0x00795a),
                            .bad = rgb(0xb84300),
                            .warn = rgb(0x8a5a00),
                            .focus = rgb(0x000000),
                            .is_dark = false};

ImVec4 as_vector(ImU32 colour, float alpha = 1) {
  return ImGui::ColorConvertU32ToFloat4(with_alpha(colour, alpha));
}

void colour_widgets(ImGuiStyle& style, const Palette& c) {
  const auto set = [&](ImGuiCol_ item, ImU32 colour, float alpha = 1) {
    style.Colors[item] = as_vector(colour, alpha);
  };
  set(ImGuiCol_Text, c.ink);
  set(ImGuiCol_TextDisabled, c.quiet);
  set(ImGuiCol_WindowBg, c.panel);
  set(ImGuiCol_ChildBg, c.panel, 0);
  set(ImGuiCol_PopupBg, c.box);
  set(ImGuiCol_Border, c.edge);
  for (const auto item : {ImGuiCol_FrameBg, ImGuiCol_Button}) set(item, c.box);
  for (const auto item : {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ButtonHovered,
                          ImGuiCol_ButtonActive})
    set(item, c.trough);
  set(ImGuiCol_SliderGrab, c.good);
  set(ImGuiCol_SliderGrabActive, c.ink);
  set(ImGuiCol_CheckMark, c.good);
  set(ImGuiCol_Header, c.accent, 0.25f);
  set(ImGuiCol_HeaderHovered, c.accent, 0.35f);
  set(ImGuiCol_HeaderActive, c.accent, 0.45f);
  set(ImGuiCol_Separator, c.faint);
  set(ImGuiCol_ScrollbarBg, c.panel, 0);
  set(ImGuiCol_ScrollbarGrab, c.edge);
  set(ImGuiCol_ScrollbarGrabHovered, c.quiet);
  set(ImGuiCol_ScrollbarGrabActive, c.quiet);
  set(ImGuiCol_TextSelectedBg, c.accent, 0.4f);
  set(ImGuiCol_ModalWindowDimBg, c.page, 0.6f);
}

}  // namespace

const Palette& palette(stage::Theme theme) {
  return theme == stage::Theme::dark ? dark : projector;
}

void style_widgets(const Look& look) {
  ImGuiStyle style;
  style.Alpha = 1;
  style.WindowPadding = style.FramePadding = {look.unit, look.unit};
  style.ItemSpacing = {look.unit, look.unit};
  style.ItemInnerSpacing = {look.unit, look.unit / 2};
  style.WindowRounding = style.ChildRounding = 0;
  style.FrameRounding = style.PopupRounding = style.GrabRounding = look.unit / 2;
  style.ScrollbarSize = look.unit;
  style.ScrollbarRounding = look.unit / 2;
  style.GrabMinSize = look.unit * 2;
  style.WindowBorderSize = style.FrameBorderSize = style.ChildBorderSize = 0;
  style.PopupBorderSize = 1;
  style.DisplayWindowPadding = style.DisplaySafeAreaPadding = {0, 0};
  colour_widgets(style, look.colour);
  ImGui::GetStyle() = style;
}

}  // namespace ringside::panels
