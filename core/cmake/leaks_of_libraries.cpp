// Only in builds with AddressSanitizer, whose leak checker would report what graphics drivers
// and MPI keep: our own leaks still end the program.

// Drivers and MPI's components are unloaded before the program ends, and a leak of a library that
// has gone has no name to suppress it by. So nothing is unloaded.
extern "C" int dlclose(void*);
extern "C" int dlclose(void*) {
  return 0;
}

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libGL\n"
         "leak:libEGL\n"
         "leak:libX11\n"
         "leak:libxcb\n"
         "leak:_dri.so\n"
         "leak:libgallium\n"
         "leak:libLLVM\n"
         "leak:libmpi.so\n"
         "leak:libopen-pal\n"
         "leak:libopen-rte\n"
         "leak:libpmix\n"
         "leak:libhwloc\n"
         "leak:libevent\n"
         "leak:mca_\n"
         "leak:__vasprintf_internal\n";  // Open MPI's texts, whose caller is not found; we call
                                         // none
}
