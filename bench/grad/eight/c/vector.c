// The derivatives by hand with eight lanes of AVX-512, for the programs where that beats plain C.
// Built with gcc -O3 -march=native -ffast-math -mprefer-vector-width=512; sine and cosine from libmvec.
// Counts must be multiples of eight.
#include <math.h>
#include <string.h>

typedef double V __attribute__((vector_size(64)));
typedef double U __attribute__((vector_size(64), aligned(8)));
typedef long M __attribute__((vector_size(64)));
typedef const double *restrict in;
typedef const long *restrict keys;
typedef double *restrict out;

V _ZGVeN8v_sin(V), _ZGVeN8v_cos(V);
#define EACH for (int lane = 0; lane < 8; lane++)

static inline V square_root(V a) {
    V r;
    EACH r[lane] = sqrt(a[lane]);
    return r;
}
static inline V choose(M condition, V a, V b) { return (V)(((M)a & condition) | ((M)b & ~condition)); }

#define T V
#define SIN _ZGVeN8v_sin
#define COS _ZGVeN8v_cos
#define ROOT square_root
#define CHOOSE choose
#include "items.h"

static inline V column(in rows, long stride, long j) {
    V r;
    EACH r[lane] = rows[stride * lane + j];
    return r;
}

// Turns eight rows into columns in registers, then stores each row piece with one instruction.
static inline void transpose(V *r) {
    static const M low[3] = {{0, 8, 2, 10, 4, 12, 6, 14}, {0, 1, 8, 9, 4, 5, 12, 13}, {0, 1, 2, 3, 8, 9, 10, 11}};
    static const M high[3] = {{1, 9, 3, 11, 5, 13, 7, 15}, {2, 3, 10, 11, 6, 7, 14, 15}, {4, 5, 6, 7, 12, 13, 14, 15}};
    for (int level = 0; level < 3; level++)
        for (int i = 0; i < 8; i++)
            if (!(i >> level & 1)) {
                V a = r[i], b = r[i | 1 << level];
                r[i] = __builtin_shuffle(a, b, low[level]);
                r[i | 1 << level] = __builtin_shuffle(a, b, high[level]);
            }
}

// Stores `count` lane values as rows: item `lane` of eight gets values[0..count) at rows + count * lane.
static inline void store_rows(const V *values, int count, out rows) {
    int first = 0;
    for (; first + 8 <= count; first += 8) {
        V block[8];
        for (int i = 0; i < 8; i++) block[i] = values[first + i];
        transpose(block);
        EACH *(U *)(rows + count * lane + first) = block[lane];
    }
    for (; first < count; first++) EACH rows[count * lane + first] = values[first][lane];
}

// Four points at a time, rows of the factors in lanes, only the blocks of eight rows that are not above the diagonal.
enum { D = 32, K = 25, BELOW = D * (D - 1) / 2, WIDTH = D + BELOW, ROWS = D / 8, BLOCK = 4 };
static V lower[K][D][ROWS], lower_adj[K][D][ROWS];  // [cluster][column][block of rows]

static void unpack(in packed) {
    memset(lower, 0, sizeof lower);
    for (int k = 0; k < K; k++) {
        in q = packed + k * WIDTH;
        double *factor = (double *)lower[k];
        for (int c = 0, at = D; c < D; c++) {
            factor[c * D + c] = exp(q[c]);
            for (int r = c + 1; r < D; r++) factor[c * D + r] = q[at++];
        }
    }
}

static void mixture_terms(in points, in means, const double *offset, double terms[BLOCK][K], V entries[K][BLOCK][ROWS]) {
    for (int k = 0; k < K; k++) {
        V sum[BLOCK][ROWS] = {0};
        for (int first = 0; first < ROWS; first++)
            for (int c = 8 * first; c < 8 * first + 8; c++)
                for (int p = 0; p < BLOCK; p++) {
                    double x = points[p * D + c] - means[k * D + c];
                    for (int b = first; b < ROWS; b++) sum[p][b] += lower[k][c][b] * x;
                }
        for (int p = 0; p < BLOCK; p++) {
            V square = {0};
            for (int b = 0; b < ROWS; b++) {
                entries[k][p][b] = sum[p][b];
                square += sum[p][b] * sum[p][b];
            }
            double total = 0;
            EACH total += square[lane];
            terms[p][k] = offset[k] - 0.5 * total;
        }
    }
}

static void mixture_pull(in points, in means, double weights[BLOCK][K], V entries[K][BLOCK][ROWS], V pulled[K][ROWS]) {
    for (int k = 0; k < K; k++) {
        V adj[BLOCK][ROWS];
        for (int p = 0; p < BLOCK; p++)
            for (int b = 0; b < ROWS; b++) {
                adj[p][b] = -weights[p][k] * entries[k][p][b];
                pulled[k][b] += adj[p][b];
            }
        for (int first = 0; first < ROWS; first++)
            for (int c = 8 * first; c < 8 * first + 8; c++)
                for (int p = 0; p < BLOCK; p++) {
                    double x = points[p * D + c] - means[k * D + c];
                    for (int b = first; b < ROWS; b++) lower_adj[k][c][b] += adj[p][b] * x;
                }
    }
}

void mixture(long n, in alphas, in means, in packed, in points, double gamma, out alphas_adj, out means_adj,
             out packed_adj) {
    static V entries[K][BLOCK][ROWS];
    V pulled[K][ROWS] = {0};
    double offset[K], terms[BLOCK][K];
    unpack(packed);
    memset(lower_adj, 0, sizeof lower_adj);
    for (int k = 0; k < K; k++) {
        offset[k] = alphas[k];
        alphas_adj[k] = 0;
        for (int j = 0; j < D; j++) offset[k] += packed[k * WIDTH + j];
    }
    for (long i = 0; i < n; i += BLOCK) {
        mixture_terms(points + i * D, means, offset, terms, entries);
        for (int p = 0; p < BLOCK; p++) {
            double largest = terms[p][0], sum = 0;
            for (int k = 1; k < K; k++) largest = terms[p][k] > largest ? terms[p][k] : largest;
#pragma omp simd reduction(+ : sum)
            for (int k = 0; k < K; k++) sum += terms[p][k] = exp(terms[p][k] - largest);
            for (int k = 0; k < K; k++) alphas_adj[k] += terms[p][k] /= sum;
        }
        mixture_pull(points + i * D, means, terms, entries, pulled);
    }
    double largest = alphas[0], sum = 0;
    for (int k = 1; k < K; k++) largest = alphas[k] > largest ? alphas[k] : largest;
    for (int k = 0; k < K; k++) sum += exp(alphas[k] - largest);
    for (int k = 0; k < K; k++) {
        in q = packed + k * WIDTH;
        out adj = packed_adj + k * WIDTH;
        const double *factor = (double *)lower[k], *factor_adj = (double *)lower_adj[k], *pull = (double *)pulled[k];
        for (int c = 0, at = D; c < D; c++) {
            double scale = factor[c * D + c], along = 0;
            for (int r = c; r < D; r++) along += factor[c * D + r] * pull[r];
            means_adj[k * D + c] = -along;
            adj[c] = factor_adj[c * D + c] * scale + alphas_adj[k] - gamma * gamma * scale * scale;
            for (int r = c + 1; r < D; r++, at++) adj[at] = factor_adj[c * D + r] - gamma * gamma * q[at];
        }
        alphas_adj[k] -= n * exp(alphas[k] - largest) / sum;
    }
}

void bundle(long n, in cameras, in points, in weights, in features, keys camera_of, keys point_of, out jacobian) {
    for (long i = 0; i < n; i += 8) {
        V c[11], p[3], J[30], feature[2] = {column(features + 2 * i, 2, 0), column(features + 2 * i, 2, 1)};
        EACH {
            in camera = cameras + 11 * camera_of[i + lane], point = points + 3 * point_of[i + lane];
            for (int j = 0; j < 11; j++) c[j][lane] = camera[j];
            for (int j = 0; j < 3; j++) p[j][lane] = point[j];
        }
        bundle_item(c, p, *(const U *)(weights + i), feature, J);
        store_rows(J, 30, jacobian + 30 * i);
    }
}

enum { CENTRES = 10, DIMS = 8 };

static inline M nearest(in points, in centres) {
    V p[DIMS], best;
    M which = {0};
    for (int j = 0; j < DIMS; j++) p[j] = *(const U *)(points + DIMS * j);
    transpose(p);
    for (long k = 0; k < CENTRES; k++) {
        V square = {0};
        for (int j = 0; j < DIMS; j++) square += (p[j] - centres[k * DIMS + j]) * (p[j] - centres[k * DIMS + j]);
        M closer = k ? square < best : (M)(square == square);
        best = k ? choose(closer, square, best) : square;
        which = (which & ~closer) | (closer & k);
    }
    return which;
}

// Twice (count times centre minus the sum of its points): one vector addition per point.
void kmeans(long n, in points, in centres, out centres_adj) {
    V sum[CENTRES] = {0};
    long count[CENTRES] = {0};
    for (long i = 0; i < n; i += 8) {
        M which = nearest(points + DIMS * i, centres);
        EACH {
            sum[which[lane]] += *(const U *)(points + DIMS * (i + lane));
            count[which[lane]]++;
        }
    }
    for (int k = 0; k < CENTRES; k++)
        for (int j = 0; j < DIMS; j++) centres_adj[k * DIMS + j] = 2 * (count[k] * centres[k * DIMS + j] - sum[k][j]);
}

void kmeans_hvp(long n, in points, in centres, in direction, out product) {
    long count[CENTRES] = {0};
    for (long i = 0; i < n; i += 8) {
        M which = nearest(points + DIMS * i, centres);
        EACH count[which[lane]]++;
    }
    for (int k = 0; k < CENTRES; k++)
        for (int j = 0; j < DIMS; j++) product[k * DIMS + j] = 2 * count[k] * direction[k * DIMS + j];
}

void arm(long n, in angles, in table, out jacobian) {
    for (long b = 0; b < n; b += 8) {
        V angle[6], J[36];
        for (int j = 0; j < 6; j++) angle[j] = column(angles + 6 * b, 6, j);
        arm_item(angle, table, J);
        store_rows(J, 36, jacobian + 36 * b);
    }
}

void roe(long n, in left, in right, double gamma, double width, out jacobian) {
    for (long i = 0; i < n; i += 8) {
        V p[3], q[3], J[18];
        for (int j = 0; j < 3; j++) {
            p[j] = column(left + 3 * i, 3, j);
            q[j] = column(right + 3 * i, 3, j);
        }
        roe_item(p, q, gamma, width, J);
        store_rows(J, 18, jacobian + 18 * i);
    }
}
