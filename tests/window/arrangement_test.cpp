// Panels lie side by side at any size, and what is too small to read is not there.

#include <gmock/gmock.h>

#include "viz/panels/arrangement.hpp"

namespace ringside::panels {
namespace {

float surface(const Corner& area) {
  return (area.max.x - area.min.x) * (area.max.y - area.min.y);
}

TEST(Arrangement, TilesEveryWindowAtEveryScale) {
  for (const ImVec2 window : {ImVec2{640, 360},
                              {1280, 720},
                              {1280, 800},
                              {1920, 1080},
                              {3840, 2160},
                              {700, 2000},
                              {4000, 500}})
    for (const float scale : {1.f, 1.5f, 2.f, 3.f, 4.f, 6.f})
      for (const auto side : {stage::Model::Side::curves, stage::Model::Side::addition_tree}) {
        const auto a = arrange(window, 8 * scale * fit(window), side);
        float all = 0;
        for (const Corner& area : {a.toolbar, a.controls, a.stage, a.numbers, a.buffers, a.side,
                                   a.transport, a.space_time}) {
          EXPECT_GE(area.max.x, area.min.x);
          EXPECT_GE(area.max.y, area.min.y);
          EXPECT_GE(area.min.x, 0);
          EXPECT_LE(area.max.x, window.x);
          EXPECT_LE(area.max.y, window.y);
          all += surface(area);
        }
        EXPECT_NEAR(all, window.x * window.y, 1) << window.x << "x" << window.y << " at " << scale;
        EXPECT_GT(surface(a.stage), 0.2f * window.x * window.y);
      }
}

TEST(Arrangement, ShowsEverythingAtTheUsualSizes) {
  for (const ImVec2 window : {ImVec2{1280, 720}, {1920, 1080}}) {
    const auto a = arrange(window, 8 * fit(window), stage::Model::Side::curves);
    for (const Corner& area :
         {a.toolbar, a.controls, a.stage, a.numbers, a.buffers, a.side, a.transport, a.space_time})
      EXPECT_TRUE(is_shown(area));
  }
}

TEST(Arrangement, TrainingTilesTheWindowToo) {
  for (const ImVec2 window : {ImVec2{640, 360}, {1280, 720}, {1920, 1080}, {700, 2000}})
    for (const float scale : {1.f, 1.5f, 3.f, 6.f}) {
      const auto a = arrange_training(window, 8 * scale * fit(window));
      const float all = surface(a.toolbar) + surface(a.controls) + surface(a.stage);
      EXPECT_NEAR(all, window.x * window.y, 1) << window.x << "x" << window.y << " at " << scale;
      EXPECT_GE(surface(a.stage), 0.4f * window.x * window.y);
      EXPECT_FALSE(is_shown(a.space_time));
    }
}

TEST(Arrangement, WhatIsAskedForStaysWhereOneMustGiveWay) {
  const ImVec2 window{1920, 1080};
  const auto curves = arrange(window, 16, stage::Model::Side::curves);
  EXPECT_TRUE(is_shown(curves.buffers));
  EXPECT_FALSE(is_shown(curves.side));
  for (const auto side :
       {stage::Model::Side::busbw, stage::Model::Side::ranks, stage::Model::Side::addition_tree}) {
    const auto asked = arrange(window, 16, side);
    EXPECT_FALSE(is_shown(asked.buffers));
    EXPECT_TRUE(is_shown(asked.side));
  }
}

}  // namespace
}  // namespace ringside::panels
