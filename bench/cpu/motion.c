// Motion search of a video encoder, as in x264: for each 16x16 block of a frame the best matching
// place in the frame before it, which another thread may still be rebuilding. Threads take frames in
// turn and wait, under a lock and a condition per frame, until enough rows of the one before are
// there. Bytes, read 16 at a time; long read-only phases with single handovers.
#include "workload.h"

enum {
  kWidth = 640,
  kHeight = 352,
  kBlock = 16,
  kReach = 24,
  kPad = 32,
  kStride = kWidth + 2 * kPad
};

typedef struct Frame {
  uint8_t* source;   // kWidth x kHeight
  uint8_t* rebuilt;  // with kPad on each side
  int rows_done;     // of `rebuilt`; under `lock`
  long cost;         // by whoever encodes it
  pthread_mutex_t lock;
  pthread_cond_t more_rows;
} Frame;

typedef struct Encoder {
  int threads;
  int frames;
  Frame* frame;
  pthread_mutex_t lock;
  long total;
} Encoder;

static uint8_t* at(const Frame* frame, int x, int y) {
  return frame->rebuilt + (size_t)(y + kPad) * kStride + x + kPad;
}

static int difference(const uint8_t* a, int a_stride, const uint8_t* b, int b_stride) {
  int sum = 0;
  for (int y = 0; y < kBlock; ++y) {
    for (int x = 0; x < kBlock; ++x) sum += abs(a[x] - b[x]);
    a += a_stride;
    b += b_stride;
  }
  return sum;
}

static void wait_for_rows(Frame* frame, int rows) {
  pthread_mutex_lock(&frame->lock);
  while (frame->rows_done < rows) pthread_cond_wait(&frame->more_rows, &frame->lock);
  pthread_mutex_unlock(&frame->lock);
}

// Steps of 8, 4, 2, 1 in eight directions from the best so far; the cost of the best.
static int search(const Frame* before, const uint8_t* source, int x, int y, int* best_x,
                  int* best_y) {
  static const int kAround[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                    {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  int bx = 0, by = 0;
  int best = difference(source, kWidth, at(before, x, y), kStride);
  for (int step = 8; step; step /= 2) {
    const int cx = bx, cy = by;
    for (int k = 0; k < 8; ++k) {
      const int dx = cx + kAround[k][0] * step, dy = cy + kAround[k][1] * step;
      if (abs(dx) > kReach || abs(dy) > kReach) continue;
      const int tx = x + dx, ty = y + dy;
      if (tx < -kPad || tx + kBlock > kWidth + kPad || ty < -kPad || ty + kBlock > kHeight + kPad)
        continue;
      const int cost =
          difference(source, kWidth, at(before, tx, ty), kStride) + 2 * (abs(dx) + abs(dy));
      if (cost < best) {
        best = cost;
        bx = dx;
        by = dy;
      }
    }
  }
  *best_x = bx;
  *best_y = by;
  return best;
}

// What a decoder would see: the prediction corrected by a coarsely quantised difference.
static void rebuild(Frame* frame, const Frame* before, int x, int y, int dx, int dy) {
  for (int row = 0; row < kBlock; ++row) {
    const uint8_t* source = frame->source + (size_t)(y + row) * kWidth + x;
    uint8_t* to = at(frame, x, y + row);
    const uint8_t* from = before ? at(before, x + dx, y + row + dy) : NULL;
    for (int i = 0; i < kBlock; ++i) {
      const int predicted = from ? from[i] : 128;
      const int value = predicted + (source[i] - predicted) / 8 * 8;
      to[i] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
    }
  }
}

static void pad_rows(Frame* frame, int begin, int end) {
  for (int y = begin; y < end; ++y) {
    memset(at(frame, -kPad, y), *at(frame, 0, y), kPad);
    memset(at(frame, kWidth, y), *at(frame, kWidth - 1, y), kPad);
  }
  if (begin == 0) {
    for (int y = -kPad; y < 0; ++y) memcpy(at(frame, -kPad, y), at(frame, -kPad, 0), kStride);
  }
  if (end == kHeight) {
    for (int y = kHeight; y < kHeight + kPad; ++y) {
      memcpy(at(frame, -kPad, y), at(frame, -kPad, kHeight - 1), kStride);
    }
  }
}

static void encode(Frame* frame, Frame* before) {
  long cost = 0;
  for (int y = 0; y < kHeight; y += kBlock) {
    if (before) {
      const int needed = y + kBlock + kReach;
      wait_for_rows(before, needed < kHeight ? needed : kHeight);
    }
    for (int x = 0; x < kWidth; x += kBlock) {
      int dx = 0, dy = 0;
      if (before) cost += search(before, frame->source + (size_t)y * kWidth + x, x, y, &dx, &dy);
      rebuild(frame, before, x, y, dx, dy);
    }
    pad_rows(frame, y, y + kBlock);
    pthread_mutex_lock(&frame->lock);
    frame->rows_done = y + kBlock;
    pthread_cond_broadcast(&frame->more_rows);
    pthread_mutex_unlock(&frame->lock);
  }
  frame->cost = cost;
}

static void work(int self, void* data) {
  Encoder* encoder = (Encoder*)data;
  long cost = 0;
  for (int f = self; f < encoder->frames; f += encoder->threads) {
    encode(&encoder->frame[f], f ? &encoder->frame[f - 1] : NULL);
    cost += encoder->frame[f].cost;
  }
  GUARDED(&encoder->lock, encoder->total += cost);
}

// A texture that drifts, with a square that moves the other way and some noise.
static void draw(Frame* frame, int number) {
  uint64_t seed = 43 + number;
  for (int y = 0; y < kHeight; ++y) {
    uint64_t noise = 0;
    for (int x = 0; x < kWidth; ++x) {
      const int u = x + 3 * number, v = y + number;
      int value = ((u * u / 64 + v * v / 32) & 127) + ((u / 13 + v / 9) % 2) * 64;
      if ((unsigned)(x - 500 + 4 * number % 480) < 60 && (unsigned)(y - 100) < 60)
        value = 200 - v % 32;
      if (x % 16 == 0) noise = next_random(&seed);
      frame->source[y * kWidth + x] = (uint8_t)(value + ((noise >> (x % 16 * 4)) & 7));
    }
  }
}

int main(int argc, char** argv) {
  const Arguments arguments = read_arguments(argc, argv, 170);  // frames
  Encoder encoder = {0};
  encoder.threads = arguments.threads;
  encoder.frames = (int)arguments.size;
  encoder.frame = (Frame*)calloc(encoder.frames, sizeof(Frame));
  pthread_mutex_init(&encoder.lock, NULL);
  for (int f = 0; f < encoder.frames; ++f) {
    Frame* frame = &encoder.frame[f];
    frame->source = (uint8_t*)malloc((size_t)kWidth * kHeight);
    frame->rebuilt = (uint8_t*)malloc((size_t)kStride * (kHeight + 2 * kPad));
    pthread_mutex_init(&frame->lock, NULL);
    pthread_cond_init(&frame->more_rows, NULL);
    draw(frame, f);
  }
  run_threads(encoder.threads, work, &encoder);
  double sum = (double)encoder.total;
  for (int f = 0; f < encoder.frames; ++f) {
    for (int y = 0; y < kHeight; y += 7) sum += *at(&encoder.frame[f], (y * 5) % kWidth, y);
    free(encoder.frame[f].source);
    free(encoder.frame[f].rebuilt);
  }
  free(encoder.frame);
  return finish(sum, __FILE__);
}
