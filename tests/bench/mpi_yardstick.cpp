// MPI_Allreduce of floats in place, as host_bench.cpp does it: the mean of a batch of back-to-back
// calls, the slowest rank's; the median of batches. Prints one line a size: bytes, microseconds.
// Built and run by compare_mpi.sh, with each MPI's own compiler wrapper.

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

double batch(std::vector<float>& data, int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i)
    MPI_Allreduce(MPI_IN_PLACE, data.data(), static_cast<int>(data.size()), MPI_FLOAT, MPI_SUM,
                  MPI_COMM_WORLD);
  double mine = (MPI_Wtime() - begin) / calls, slowest = 0;
  MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (const std::size_t bytes :
       {std::size_t{1} << 10, std::size_t{1} << 20, std::size_t{64} << 20}) {
    std::vector<float> data(bytes / sizeof(float));
    const int calls = static_cast<int>(std::clamp<std::size_t>(
        (std::size_t{4} << 20) / (bytes * static_cast<std::size_t>(ranks)), 1, 300));
    batch(data, calls);  // warms up
    std::vector<double> times;
    for (int i = 0; i < 3; ++i) times.push_back(batch(data, calls));
    std::sort(times.begin(), times.end());
    if (rank == 0) std::printf("%zu %.3f\n", bytes, 1e6 * times[times.size() / 2]);
  }
  MPI_Finalize();
}
