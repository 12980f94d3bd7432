// A program with nested inlined functions, a template, lambdas, exceptions and recursion.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

static inline __attribute__((always_inline)) double square(double x) {
  return x * x +
         1.0 / (x + 1.0);
}

template <class T>
inline T twice(T x) {
  T y = square(x);
  return y + square(x + 2);
}

struct Shape {
  virtual ~Shape() = default;
  virtual double area() const = 0;
};

struct Circle : Shape {
  explicit Circle(double r) : r(r) {}
  double area() const override {
    return 3.14159 *
           square(r);
  }
  double r;
};

struct Box : Shape {
  Box(double a, double b) : a(a), b(b) {
    if (a < 0)
      throw std::invalid_argument("negative side");
  }
  double area() const override { return a * b + twice(a); }
  double a, b;
};

static int depth(int n) {
  if (n <= 1)
    return 1;
  return depth(n - 1) +
         depth(n - 2);
}

static void order(std::vector<std::unique_ptr<Shape>> &list) {
  std::sort(list.begin(), list.end(), [](const auto &a, const auto &b) {
    return a->area() <
           b->area();
  });
}

int main(int argc, char **argv) {
  std::vector<std::unique_ptr<Shape>> list;
  for (int i = 0; i < 1000; i++) {
    try {
      if (i % 2)
        list.push_back(std::make_unique<Circle>(i));
      else
        list.push_back(std::make_unique<Box>(i - 4, argc));
    } catch (const std::exception &e) {
      std::puts(e.what());
    }
  }
  order(list);
  double sum = depth(10);
  for (const auto &s : list)
    sum += s->area();
  std::printf("%f\n", sum);
}
