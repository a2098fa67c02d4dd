#pragma once

// A lesson that asks a number, a size, a choice and a schedule.

namespace ringside::lessons {

inline constexpr const char* lesson_toml = R"toml(minutes = 3
[vars]
n = [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
S = ["8MB", "16MB", "32MB", "64MB"]

[[beat]]
id = "steps"
part = "predict"
[beat.ask]
kind = "number"
answer = "2 * (n - 1)"
homework = true
[[beat.ask.wrong]]
value = "n - 1"
misconception = "half-the-ring"

[[beat]]
id = "share"
part = "task"
[beat.ask]
kind = "number"
unit = "bytes"
answer = "S / n"
homework = true

[[beat]]
id = "why"
part = "explain"
[beat.ask]
kind = "choice"
homework = true
[[beat.ask.choice]]
id = "good"
right = true
[[beat.ask.choice]]
id = "bad"
misconception = "half-the-ring"

[[beat]]
id = "build"
part = "task"
[beat.ask]
kind = "schedule"
collective = "all_reduce"
ranks = 2
chunks = 2
bytes = "S"
start = "start.txt"
solution = "solution.txt"
system = ""
par = { steps = "2", busiest = "2 * S", time = "0.1" }
homework = true

[[beat]]
id = "in-class"
part = "task"
[beat.ask]
kind = "number"
answer = "n"
)toml";

inline constexpr const char* text_md = R"(# A lesson
One can do it.

## steps
{n} GPUs: how many steps?

### hint 1
a
### hint 2
b
### hint 3
c
### right
yes
### wrong
no
### wrong half-the-ring
half

## share
{S:bytes} over {n}: how much each?

### right
yes
### wrong
no

## why
Why?

### choice good
Because.
### choice bad
Because not.
### right
yes
### wrong
no

## build
Build it.

## in-class
How many?
)";

inline constexpr const char* solution = R"(all_reduce 2 ranks 2 chunks
step: 0 -> 1: 0 +; 1 -> 0: 1 +
step: 1 -> 0: 0; 0 -> 1: 1
)";

}  // namespace ringside::lessons
