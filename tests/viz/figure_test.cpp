// A figure says what the run did: nothing in it is drawn by hand.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "core/file.hpp"
#include "core/mutation.hpp"
#include "core/verifier.hpp"
#include "tests/viz/pictured.hpp"
#include "viz/figure/parts.hpp"
#include "viz/terminal/command.hpp"

namespace ringside::figure {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Every algorithm at every size from 1 to `most` that it serves.
std::vector<Sample> samples(std::uint32_t most) {
  std::vector<Sample> all;
  for (const Algorithm& algorithm : all_algorithms())
    for (std::uint32_t ranks = 1; ranks <= most; ++ranks)
      if (auto run = sample(algorithm, ranks)) all.push_back(*std::move(run));
  return all;
}

pugi::xml_document parsed(const std::string& svg) {
  pugi::xml_document document;
  const auto result = document.load_string(svg.c_str());
  EXPECT_TRUE(result) << result.description();
  return document;
}

double number(pugi::xml_node node, const char* name) {
  return node.attribute(name).as_double();
}

bool takes_time(const Sample& run, TransferId id) {
  const Span& span = run.simulation.spans[id.value];
  return !run.schedule[id].is_local() || span.commit > span.begin;
}

TEST(Figure, EveryTransferHasItsBarWhereItsSpanIs) {
  for (const Sample& run : samples(8)) {
    const auto document = parsed(drawn(run));
    const Frame frame(run.schedule.participants());
    const double scale = frame.field.width / std::max(1.0, double(run.simulation.time.picoseconds));
    std::uint32_t bars = 0;
    for (const auto& bar : elements(document, "//rect[@class='bar']")) {
      const auto id = static_cast<std::uint32_t>(std::stoul(bar.attribute("id").value() + 1));
      const Span& span = run.simulation.spans[id];
      const double begin = frame.field.x + double(span.begin.picoseconds) * scale;
      const double width = double((span.read - span.begin).picoseconds) * scale;
      ASSERT_NEAR(number(bar, "x"), begin, 0.006) << run.name() << " transfer " << id;
      ASSERT_NEAR(number(bar, "width"), std::max(0.75, width), 0.006) << run.name();
      const double row = frame.field.y + run.schedule[{id}].src().rank.value * frame.row;
      ASSERT_GE(number(bar, "y"), row - 0.006) << run.name();
      ASSERT_LE(number(bar, "y") + number(bar, "height"), row + frame.row + 0.006) << run.name();
      ++bars;
    }
    std::uint32_t expected = 0;
    for (TransferId id{0}; id.value < run.schedule.transfers().size(); ++id.value)
      expected += takes_time(run, id);
    ASSERT_EQ(bars, expected) << run.name();
  }
}

TEST(Figure, ABarKnowsItsSimulation) {
  Sample run = ring(4);
  run.simulation.spans[5].begin += Duration{1'000'000};
  const auto moved = parsed(drawn(run)), before = parsed(drawn(ring(4)));
  EXPECT_NE(number(elements(moved, "//rect[@id='t5']").at(0), "x"),
            number(elements(before, "//rect[@id='t5']").at(0), "x"));
}

TEST(Figure, BarsOfOneRankDoNotCoverEachOther) {
  for (const Sample& run : samples(6)) {
    const auto document = parsed(drawn(run));
    std::vector<std::vector<Box>> rows(run.schedule.participants());
    for (const auto& bar : elements(document, "//rect[@class='bar']")) {
      const auto id = static_cast<std::uint32_t>(std::stoul(bar.attribute("id").value() + 1));
      const Span& span = run.simulation.spans[id];
      if (span.read == span.begin) continue;  // no bytes: a hair, to be seen at all
      rows[run.schedule[{id}].src().rank.value].push_back(
          Box{number(bar, "x"), number(bar, "y"), number(bar, "width"), number(bar, "height")}
              .grown(-0.76));
    }
    for (const auto& row : rows)
      for (std::size_t i = 0; i < row.size(); ++i)
        for (std::size_t j = i + 1; j < row.size(); ++j)
          ASSERT_FALSE(row[i].width > 0 && row[j].width > 0 && row[i].height > 0 &&
                       row[i].overlaps(row[j]))
              << run.name();
  }
}

TEST(Figure, EverythingHasItsElement) {
  for (const std::uint32_t ranks : {2u, 3u, 8u, 16u, 17u, 64u}) {
    const auto run = ring(ranks);
    const auto document = parsed(drawn(run));
    EXPECT_EQ(elements(document, "//g[@class='rank']").size(), ranks);
    EXPECT_EQ(elements(document, "//g[@class='chip']").size(), ranks) << "each rank sends";
    EXPECT_EQ(elements(document, "//g[@class='moment']").size(), 1u);
  }
}

std::string words_of(pugi::xml_node text) {
  return pugi::xpath_query("string()").evaluate_string(text);
}

/// Where a text lies, about: letters are 0.55 em wide.
Box box_of(pugi::xml_node text) {
  const std::string classes = text.attribute("class").value(), words = words_of(text);
  const double size = std::stod(classes.substr(classes.find('s') + 1));
  const double width = text_width(words, size) * 0.55 / 0.6;
  double x = number(text, "x");
  if (classes.ends_with(" m")) x -= width / 2;
  if (classes.ends_with(" e")) x -= width;
  return {x, number(text, "y") - size * 0.72, width, size * 0.72};
}

TEST(Figure, NoTextCoversAnother) {
  for (const Sample& run : samples(16)) {
    if (run.row.ranks == 1) continue;
    const auto document = parsed(drawn(run));
    std::vector<std::pair<Box, std::string>> texts;
    for (const auto& text : elements(document, "//text[@class]"))
      texts.emplace_back(box_of(text), words_of(text));
    for (std::size_t i = 0; i < texts.size(); ++i) {
      ASSERT_LT(texts[i].first.right(), Frame::width) << run.name() << ": " << texts[i].second;
      for (std::size_t j = i + 1; j < texts.size(); ++j)
        ASSERT_FALSE(texts[i].first.overlaps(texts[j].first))
            << run.name() << ": " << texts[i].second << " and " << texts[j].second;
    }
  }
}

TEST(Figure, NoTextIsSmallerThanThirteen) {
  const auto document = parsed(drawn(ring(8)));
  for (const auto& text : elements(document, "//text[@class]"))
    EXPECT_GE(std::stod(std::string(text.attribute("class").value()).substr(1)), 13);
}

TEST(Figure, SaysWhatCameOut) {
  const auto run = ring(4);
  const auto svg = drawn(run);
  EXPECT_THAT(svg, HasSubstr("Ring all-reduce"));
  EXPECT_THAT(svg, HasSubstr("25 GB/s and 1 µs a link"));
  const auto time = to_string(run.simulation.time);
  EXPECT_THAT(svg, HasSubstr(">" + time.substr(0, time.find(' ')) + "<"));
  EXPECT_THAT(svg, HasSubstr(">" + narrowed(*run.row.algbw(), 5) + "<"));
  EXPECT_THAT(svg, HasSubstr(">" + narrowed(*run.row.busbw(), 5) + "<"));
}

TEST(Figure, IsProvenOnlyIfItIs) {
  const auto right = ring(4);
  EXPECT_THAT(drawn(right), HasSubstr("✓ proven"));
  std::uint32_t wrong = 0;
  for (std::uint32_t kind = 0; kind < mutation_count; ++kind) {
    auto mutant = mutate(right.schedule, static_cast<Mutation>(kind), 3);
    if (!mutant || verify(mutant->schedule, 1).empty()) continue;
    Sample run = right;
    run.schedule = std::move(mutant->schedule);
    const auto simulation = sim::simulate(run.schedule, {*run.row.count, *run.row.type},
                                          run.topology, sim::NetworkModel::flow);
    ASSERT_TRUE(simulation);
    run.simulation = *simulation;
    EXPECT_THAT(drawn(run), Not(HasSubstr("✓")));
    EXPECT_THAT(drawn(run), HasSubstr("✗ wrong"));
    ++wrong;
  }
  EXPECT_GE(wrong, 4u);
}

TEST(Figure, SameRunSameBytes) {
  EXPECT_EQ(drawn(ring(8)), drawn(ring(8)));
}

TEST(Figure, NamesAreEscaped) {
  Sample run = ring(2);
  run.topology.name = "<a> & \"b\" \x01 \xff µ";
  run.topology.links[0].latency = 2_us;  // so that the name stands alone
  FigureOptions options = dark();
  options.command = "ringside step --system '<a> & b'";
  const auto document = parsed(drawn(run, options));
  EXPECT_THAT(document.child("svg").child("title").text().get(), HasSubstr("<a> & \"b\" ? ? µ"));
  EXPECT_EQ(document.child("svg").child("desc").text().get(), options.command);
}

TEST(Figure, MomentsOutsideTheRunAreRefused) {
  const auto run = ring(4);
  const auto refusal = [&](auto change) {
    FigureOptions options = dark();
    change(options);
    const auto svg = draw_figure(run.pictured(), options);
    return svg ? std::string("drawn") : svg.error().message;
  };
  EXPECT_THAT(refusal([&](auto& o) { o.at = run.simulation.time + Duration{1}; }),
              HasSubstr("after the end"));
  EXPECT_EQ(refusal([&](auto& o) { o.at = run.simulation.time; }), "drawn");
  EXPECT_THAT(refusal([](auto& o) { o.at_step = Step{6}; }), HasSubstr("has steps 0 to 5"));
  EXPECT_EQ(refusal([](auto& o) { o.at_step = Step{5}; }), "drawn");
  EXPECT_THAT(refusal([](auto& o) {
                o.at = TimePoint{0};
                o.at_step = Step{0};
              }),
              HasSubstr("give one of them"));
}

TEST(Figure, CrowdsAreRefused) {
  const auto run = ring(65);
  EXPECT_FALSE(draw_figure(run.pictured(), dark()));
}

TEST(Figure, AStepIsShownWhileItsFirstTransferFlies) {
  const auto run = ring(8);
  for (Step step{0}; step.value < run.schedule.steps(); ++step.value) {
    FigureOptions options = dark();
    options.at_step = step;
    const auto at = chosen_moment(run.pictured(), options);
    ASSERT_TRUE(at);
    const stage::Story story(run.schedule);
    const auto under_way =
        stage::Timeline(run.schedule, story, run.simulation.spans).under_way(*at);
    ASSERT_EQ(under_way.size(), 8u);
    for (const stage::UnderWay& u : under_way) {
      EXPECT_EQ(run.schedule.step(u.id), step);
      EXPECT_NEAR(u.progress, 0.3, 1e-6);
    }
  }
}

TEST(Layout, BoxesAndChipsKeepTheirDistance) {
  for (std::uint32_t ranks = 1; ranks <= most_pictured; ++ranks) {
    const Frame frame(ranks);
    Circle::Crowd crowd;
    for (Rank r{0}; r.value < ranks; ++r.value) crowd.order.push_back(r);
    const Circle circle(frame.stage, crowd);
    for (std::uint32_t a = 0; a < ranks; ++a) {
      const Box& box = circle.box({a});
      EXPECT_TRUE(box.x >= frame.stage.x && box.right() <= frame.stage.right()) << ranks;
      EXPECT_TRUE(box.y >= frame.stage.y && box.bottom() <= frame.stage.bottom()) << ranks;
      for (std::uint32_t b = a + 1; b < ranks; ++b)
        EXPECT_FALSE(box.overlaps(circle.box({b}))) << ranks << ": " << a << " and " << b;
    }
  }
}

TEST(Layout, WaysThereAndBackAreApart) {
  const Circle circle(Frame(6).stage, {.order = {{0}, {1}, {2}, {3}, {4}, {5}}, .agents = 0});
  for (std::uint32_t a = 0; a < 6; ++a)
    for (std::uint32_t b = 0; b < a; ++b) {
      const Point there = circle.way({a}, {b}).at(0.5), back = circle.way({b}, {a}).at(0.5);
      EXPECT_GT(std::abs(there.x - back.x) + std::abs(there.y - back.y), 20) << a << " " << b;
    }
}

TEST(SvgText, NumbersAndEscapes) {
  EXPECT_EQ(svg_number(1.5), "1.5");
  EXPECT_EQ(svg_number(-0.001), "0");
  EXPECT_EQ(svg_number(12), "12");
  EXPECT_EQ(svg_number(2.0 / 3), "0.67");
  EXPECT_EQ(svg_escaped("a<b>&\"c\""), "a&lt;b&gt;&amp;&quot;c&quot;");
  EXPECT_EQ(svg_escaped("中文 µ \xc3"), "中文 µ ?");
  EXPECT_EQ(svg_escaped("\xed\xa0\x80\xef\xbf\xbe\x7f"), "??????\x7f");
}

/// The figures of docs/ are what the command written into them makes today.
TEST(Figure, TheOnesInDocsAreMadeAgain) {
  const std::filesystem::path docs = std::filesystem::path(RINGSIDE_SOURCE_DIR) / "docs";
  const auto scratch = std::filesystem::path(testing::TempDir()) / "figures_again";
  std::filesystem::create_directories(scratch / "docs");
  const auto here = std::filesystem::current_path();
  std::uint32_t figures = 0;
  for (const auto& entry : std::filesystem::directory_iterator(docs)) {
    if (entry.path().extension() != ".svg") continue;
    const auto wanted = read_file(entry.path().string());
    ASSERT_TRUE(wanted);
    std::istringstream words(parsed(*wanted).child("svg").child("desc").text().get());
    std::vector<std::string> arguments{std::istream_iterator<std::string>(words), {}};
    std::vector<const char*> argv;
    for (const auto& word : arguments) argv.push_back(word.c_str());
    std::filesystem::current_path(scratch);
    EXPECT_EQ(terminal::run_command_line(static_cast<int>(argv.size()), argv.data()), 0);
    std::filesystem::current_path(here);
    const auto made = read_file((scratch / "docs" / entry.path().filename()).string());
    ASSERT_TRUE(made) << entry.path();
    EXPECT_TRUE(*made == *wanted) << entry.path() << " is out of date: run\n"
                                  << parsed(*wanted).child("svg").child("desc").text().get();
    ++figures;
  }
  EXPECT_GE(figures, 1u);
  std::filesystem::remove_all(scratch);
}

}  // namespace
}  // namespace ringside::figure
