// Hand-derived derivatives of the eight programs in plain C: what a careful programmer writes without intrinsics.
// Built with gcc -O3 -march=native -ffast-math -fopenmp-simd. Trajectories live in buffers kept between calls.
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const double *restrict in;
typedef const long *restrict keys;
typedef double *restrict out;

#define T double
#define SIN sin
#define COS cos
#define ROOT sqrt
#define CHOOSE(condition, a, b) ((condition) ? (a) : (b))
#include "items.h"

static double *kept(double **buffer, long *size, long needed) {
    if (*size < needed) {
        free(*buffer);
        *buffer = malloc(sizeof(double) * needed);
        *size = needed;
    }
    return *buffer;
}

void mixture(long n, long d, long clusters, in alphas, in means, in packed, in points, double gamma, out alphas_adj,
             out means_adj, out packed_adj) {
    long width = d + d * (d - 1) / 2;
    double diagonal[clusters * d], offset[clusters], terms[clusters], centred[clusters * d], entries[clusters * d];
    double pulled[clusters * d];  // sum over points of -weight * entries: the means need it once, not per point
    memset(alphas_adj, 0, sizeof(double) * clusters);
    memset(packed_adj, 0, sizeof(double) * clusters * width);
    memset(pulled, 0, sizeof pulled);
    for (long k = 0; k < clusters; k++) {
        offset[k] = alphas[k];
        for (long j = 0; j < d; j++) {
            diagonal[k * d + j] = exp(packed[k * width + j]);
            offset[k] += packed[k * width + j];
        }
    }
    for (long i = 0; i < n; i++) {
        double largest = -INFINITY, sum = 0;
        for (long k = 0; k < clusters; k++) {
            in below = packed + k * width + d;
            double *x = centred + k * d, *e = entries + k * d, square = 0;
            for (long j = 0; j < d; j++) {
                x[j] = points[i * d + j] - means[k * d + j];
                e[j] = diagonal[k * d + j] * x[j];
            }
            for (long c = 0; c < d; c++) {
                double factor = x[c];
#pragma omp simd
                for (long r = c + 1; r < d; r++) e[r] += below[r - c - 1] * factor;
                below += d - c - 1;
            }
#pragma omp simd reduction(+ : square)
            for (long j = 0; j < d; j++) square += e[j] * e[j];
            terms[k] = offset[k] - 0.5 * square;
            if (terms[k] > largest) largest = terms[k];
        }
        for (long k = 0; k < clusters; k++) sum += terms[k] = exp(terms[k] - largest);
        for (long k = 0; k < clusters; k++) {
            double weight = terms[k] / sum, e_adj[d];
            in x = centred + k * d, e = entries + k * d;
            out below_adj = packed_adj + k * width + d;
            alphas_adj[k] += weight;
            for (long j = 0; j < d; j++) {
                e_adj[j] = -weight * e[j];
                pulled[k * d + j] += e_adj[j];
                packed_adj[k * width + j] += e_adj[j] * x[j];
            }
            for (long c = 0; c < d; c++) {
                double factor = x[c];
#pragma omp simd
                for (long r = c + 1; r < d; r++) below_adj[r - c - 1] += e_adj[r] * factor;
                below_adj += d - c - 1;
            }
        }
    }
    double largest = -INFINITY, sum = 0;
    for (long k = 0; k < clusters; k++) largest = alphas[k] > largest ? alphas[k] : largest;
    for (long k = 0; k < clusters; k++) sum += exp(alphas[k] - largest);
    for (long k = 0; k < clusters; k++) {
        in below = packed + k * width + d, pull = pulled + k * d;
        out adj = packed_adj + k * width;
        for (long c = 0; c < d; c++) {
            double scale = diagonal[k * d + c], along = scale * pull[c];
            for (long r = c + 1; r < d; r++) along += below[r - c - 1] * pull[r];
            below += d - c - 1;
            means_adj[k * d + c] = -along;
            adj[c] = adj[c] * scale + alphas_adj[k] - gamma * gamma * scale * scale;
        }
        for (long j = d; j < width; j++) adj[j] -= gamma * gamma * packed[k * width + j];
        alphas_adj[k] -= n * exp(alphas[k] - largest) / sum;
    }
}

void bundle(long n, in cameras, in points, in weights, in features, keys camera_of, keys point_of, out jacobian) {
#pragma omp simd
    for (long i = 0; i < n; i++)
        bundle_item(cameras + 11 * camera_of[i], points + 3 * point_of[i], weights[i], features + 2 * i, jacobian + 30 * i);
}

static void lax_wendroff(long n, double courant, in u, out half, out next) {
    for (long i = 0; i < n - 1; i++)
        half[i] = 0.5 * (u[i] + u[i + 1]) - 0.25 * courant * (u[i + 1] * u[i + 1] - u[i] * u[i]);
    half[n - 1] = 0.5 * (u[n - 1] + u[0]) - 0.25 * courant * (u[0] * u[0] - u[n - 1] * u[n - 1]);
    next[0] = u[0] - 0.5 * courant * (half[0] * half[0] - half[n - 1] * half[n - 1]);
    for (long i = 1; i < n; i++) next[i] = u[i] - 0.5 * courant * (half[i] * half[i] - half[i - 1] * half[i - 1]);
}

void burgers(long n, in start, in target, double courant, long steps, out start_adj) {
    static double *states;
    static long size;
    double half[n], half_adj[n], *u_adj = start_adj, *all = kept(&states, &size, n * (steps + 1));
    memcpy(all, start, sizeof(double) * n);
    for (long t = 0; t < steps; t++) lax_wendroff(n, courant, all + n * t, half, all + n * (t + 1));
    for (long i = 0; i < n; i++) u_adj[i] = all[n * steps + i] - target[i];
    for (long t = steps - 1; t >= 0; t--) {
        in u = all + n * t;
        double quarter = 0.25 * courant, slope = 2 * quarter;
        for (long i = 0; i < n - 1; i++)
            half_adj[i] = courant * (0.5 * (u[i] + u[i + 1]) - quarter * (u[i + 1] * u[i + 1] - u[i] * u[i])) *
                          (u_adj[i + 1] - u_adj[i]);
        half_adj[n - 1] = courant * (0.5 * (u[n - 1] + u[0]) - quarter * (u[0] * u[0] - u[n - 1] * u[n - 1])) *
                          (u_adj[0] - u_adj[n - 1]);
        u_adj[0] += half_adj[0] * (0.5 + slope * u[0]) + half_adj[n - 1] * (0.5 - slope * u[0]);
        for (long i = 1; i < n; i++)
            u_adj[i] += half_adj[i] * (0.5 + slope * u[i]) + half_adj[i - 1] * (0.5 - slope * u[i]);
    }
}

#define SLOPE(k, l, x, y) double k = a * (x) - b * (x) * (y), l = d * (x) * (y) - c * (y)
// Adjoint of one stage at (x, y) with slope adjoints (p, q): rates, then the state in (x_adj, y_adj).
#define PULL(x, y, p, q)                                                                \
    rates_adj[0] += (p) * (x), rates_adj[1] -= (p) * (x) * (y);                         \
    rates_adj[2] += (q) * (x) * (y), rates_adj[3] -= (q) * (y);                         \
    x_adj = (p) * (a - b * (y)) + (q) * d * (y), y_adj = (q) * (d * (x) - c) - (p) * b * (x); \
    end_x += x_adj, end_y += y_adj

void lotka_volterra(in rates, double h, long steps, double *result) {
    static double *states;
    static long size;
    double a = rates[0], b = rates[1], d = rates[2], c = rates[3], x = 1, y = 1, *all = kept(&states, &size, 2 * steps);
    for (long t = 0; t < steps; t++) {
        all[2 * t] = x, all[2 * t + 1] = y;
        SLOPE(k1, l1, x, y);
        SLOPE(k2, l2, x + 0.5 * h * k1, y + 0.5 * h * l1);
        SLOPE(k3, l3, x + 0.5 * h * k2, y + 0.5 * h * l2);
        SLOPE(k4, l4, x + h * k3, y + h * l3);
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    double end_x = 2 * x, end_y = 1, rates_adj[4] = {0}, x_adj, y_adj;
    for (long t = steps - 1; t >= 0; t--) {
        double x1 = all[2 * t], y1 = all[2 * t + 1];
        SLOPE(k1, l1, x1, y1);
        double x2 = x1 + 0.5 * h * k1, y2 = y1 + 0.5 * h * l1;
        SLOPE(k2, l2, x2, y2);
        double x3 = x1 + 0.5 * h * k2, y3 = y1 + 0.5 * h * l2;
        SLOPE(k3, l3, x3, y3);
        double x4 = x1 + h * k3, y4 = y1 + h * l3, p = h / 6 * end_x, q = h / 6 * end_y;
        PULL(x4, y4, p, q);
        double p3 = 2 * p + h * x_adj, q3 = 2 * q + h * y_adj;
        PULL(x3, y3, p3, q3);
        double p2 = 2 * p + 0.5 * h * x_adj, q2 = 2 * q + 0.5 * h * y_adj;
        PULL(x2, y2, p2, q2);
        double p1 = p + 0.5 * h * x_adj, q1 = q + 0.5 * h * y_adj;
        PULL(x1, y1, p1, q1);
    }
    memcpy(result, rates_adj, sizeof rates_adj);
}

void csr(long n, keys start, keys column, in value, in x, out value_adj, out x_adj) {
    memset(x_adj, 0, sizeof(double) * n);
    for (long i = 0; i < n; i++) {
        double row = 0, half = 0.5 * x[i];
        for (long k = start[i]; k < start[i + 1]; k++) {
            long j = column[k];
            row += value[k] * x[j];
            value_adj[k] = half * x[j];
            x_adj[j] += half * value[k];
        }
        x_adj[i] += 0.5 * row;
    }
}

static inline long nearest(long clusters, long d, in point, in centres) {
    double best = INFINITY;
    long which = 0;
    for (long k = 0; k < clusters; k++) {
        double square = 0;
        for (long j = 0; j < d; j++) square += (point[j] - centres[k * d + j]) * (point[j] - centres[k * d + j]);
        which = square < best ? k : which;
        best = square < best ? square : best;
    }
    return which;
}

void kmeans(long n, long clusters, long d, in points, in centres, out centres_adj) {
    memset(centres_adj, 0, sizeof(double) * clusters * d);
    for (long i = 0; i < n; i++) {
        long k = nearest(clusters, d, points + i * d, centres);
        for (long j = 0; j < d; j++) centres_adj[k * d + j] += 2 * (centres[k * d + j] - points[i * d + j]);
    }
}

void kmeans_hvp(long n, long clusters, long d, in points, in centres, in direction, out product) {
    long count[clusters];
    memset(count, 0, sizeof count);
    for (long i = 0; i < n; i++) count[nearest(clusters, d, points + i * d, centres)]++;
    for (long k = 0; k < clusters; k++)
        for (long j = 0; j < d; j++) product[k * d + j] = 2 * count[k] * direction[k * d + j];
}

void arm(long n, in angles, in table, out jacobian) {
#pragma omp simd
    for (long b = 0; b < n; b++) arm_item(angles + 6 * b, table, jacobian + 36 * b);
}

void roe(long n, in left, in right, double gamma, double width, out jacobian) {
#pragma omp simd
    for (long i = 0; i < n; i++) roe_item(left + 3 * i, right + 3 * i, gamma, width, jacobian + 18 * i);
}
