// The only composition root: everything the program can do meets here.

#include "viz/terminal/command.hpp"

int main(int argc, char** argv) {
  return ringside::terminal::run_command_line(argc, argv);
}
