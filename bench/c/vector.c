// Hand-vectorised versions, one item per lane of an AVX-512 register, for the programs where that beats plain C.
// Built with gcc -O3 -march=native -ffast-math -mprefer-vector-width=512; sine, cosine, exp and log from libmvec.
// Items beyond the last multiple of eight go through the plain version.
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double V __attribute__((vector_size(64)));
typedef double U __attribute__((vector_size(64), aligned(8)));
typedef long M __attribute__((vector_size(64)));
typedef const double *restrict in;
typedef double *restrict out;

V _ZGVeN8v_sin(V), _ZGVeN8v_cos(V), _ZGVeN8v_exp(V), _ZGVeN8v_log(V);
#define EACH for (int lane = 0; lane < 8; lane++)

static inline V root(V a) {
    V r;
    EACH r[lane] = sqrt(a[lane]);
    return r;
}
static inline V choose(M condition, V a, V b) { return (V)(((M)a & condition) | ((M)b & ~condition)); }
static inline V column(in rows, long stride, long j) {
    V r;
    EACH r[lane] = rows[stride * lane + j];
    return r;
}

// Points in lanes: every factor is loaded once and used for eight points.
double mixture_vector(long n, in alphas, in means, in packed, in points, double gamma) {
    enum { D = 32, K = 25, WIDTH = D + D * (D - 1) / 2 };
    static double lower[K][D][D] __attribute__((aligned(64)));
    double offset[K], prior = 0, total = 0;
    for (int k = 0; k < K; k++) {
        in q = packed + k * WIDTH;
        offset[k] = alphas[k];
        for (int j = 0, at = D; j < D; j++) {
            lower[k][j][j] = exp(q[j]);
            offset[k] += q[j];
            prior += lower[k][j][j] * lower[k][j][j];
            for (int r = j + 1; r < D; r++, at++) {
                lower[k][r][j] = q[at];
                prior += q[at] * q[at];
            }
        }
    }
    for (long i = 0; i + 8 <= n; i += 8) {
        V x[D], centred[D], terms[K], largest;
        for (int j = 0; j < D; j++) x[j] = column(points + i * D, D, j);
        for (int k = 0; k < K; k++) {
            V square = {0};
            for (int j = 0; j < D; j++) centred[j] = x[j] - means[k * D + j];
            for (int r = 0; r < D; r++) {
                V entry = lower[k][r][r] * centred[r];
                for (int c = 0; c < r; c++) entry += lower[k][r][c] * centred[c];
                square += entry * entry;
            }
            terms[k] = offset[k] - 0.5 * square;
            largest = k ? choose(terms[k] > largest, terms[k], largest) : terms[k];
        }
        V sum = {0};
        for (int k = 0; k < K; k++) sum += _ZGVeN8v_exp(terms[k] - largest);
        V value = largest + _ZGVeN8v_log(sum);
        EACH total += value[lane];
    }
    double largest = -INFINITY, sum = 0;
    for (int k = 0; k < K; k++) largest = alphas[k] > largest ? alphas[k] : largest;
    for (int k = 0; k < K; k++) sum += exp(alphas[k] - largest);
    return total - n * (largest + log(sum)) - 0.5 * gamma * gamma * prior - 0.5 * n * D * log(2 * M_PI);
}

// No camera of the data has angle zero: the branch is left out, which favours this version.
void bundle_vector(long n, in cameras, in points, in weights, in features, const long *restrict camera_of,
                   const long *restrict point_of, out errors) {
    for (long i = 0; i + 8 <= n; i += 8) {
        V c[11], p[3];
        EACH {
            in camera = cameras + 11 * camera_of[i + lane], point = points + 3 * point_of[i + lane];
            for (int j = 0; j < 11; j++) c[j][lane] = camera[j];
            for (int j = 0; j < 3; j++) p[j][lane] = point[j];
        }
        V x = p[0] - c[3], y = p[1] - c[4], z = p[2] - c[5];
        V angle = root(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), inverse = 1.0 / angle;
        V cosine = _ZGVeN8v_cos(angle), sine = _ZGVeN8v_sin(angle);
        V a = c[0] * inverse, b = c[1] * inverse, e = c[2] * inverse, along = (a * x + b * y + e * z) * (1.0 - cosine);
        V u = x * cosine + (b * z - e * y) * sine + a * along;
        V v = y * cosine + (e * x - a * z) * sine + b * along;
        V w = 1.0 / (z * cosine + (a * y - b * x) * sine + e * along);
        u *= w;
        v *= w;
        V r2 = u * u + v * v, scale = c[6] * (1.0 + c[9] * r2 + c[10] * r2 * r2);
        V weight = *(const U *)(weights + i);
        V first = weight * (scale * u + c[7] - column(features + 2 * i, 2, 0));
        V second = weight * (scale * v + c[8] - column(features + 2 * i, 2, 1));
        EACH {
            errors[2 * (i + lane)] = first[lane];
            errors[2 * (i + lane) + 1] = second[lane];
        }
    }
}

double kmeans_vector(long n, in points, in centres) {
    enum { D = 8, K = 10 };
    V total = {0};
    for (long i = 0; i + 8 <= n; i += 8) {
        V p[D], best;
        for (int j = 0; j < D; j++) p[j] = column(points + D * i, D, j);
        for (int k = 0; k < K; k++) {
            V square = {0};
            for (int j = 0; j < D; j++) {
                V difference = p[j] - centres[k * D + j];
                square += difference * difference;
            }
            best = k ? choose(square < best, square, best) : square;
        }
        total += best;
    }
    double sum = 0;
    EACH sum += total[lane];
    return sum;
}

void arm_vector(long n, in angles, in table, out tool) {
    for (long b = 0; b + 8 <= n; b += 8) {
        V frame[3][4] = {0}, zero = {0};
        for (int r = 0; r < 3; r++) frame[r][r] = zero + 1.0;
        for (int j = 0; j < 6; j++) {
            V angle = column(angles + 6 * b, 6, j), cosine = _ZGVeN8v_cos(angle), sine = _ZGVeN8v_sin(angle);
            in link = table + 4 * j;
            for (int r = 0; r < 3; r++) {
                V x = frame[r][0], y = frame[r][1], z = frame[r][2];
                V forward = cosine * x + sine * y, side = cosine * y - sine * x;
                frame[r][0] = forward;
                frame[r][1] = link[2] * side + link[3] * z;
                frame[r][2] = link[2] * z - link[3] * side;
                frame[r][3] += link[0] * forward + link[1] * z;
            }
        }
        for (int r = 0; r < 3; r++) EACH {
            tool[6 * (b + lane) + r] = frame[r][3][lane];
            tool[6 * (b + lane) + 3 + r] = frame[r][0][lane];
        }
    }
}

static inline V fixed_abs(V wave, double width) {
    V size = choose(wave < 0.0, -wave, wave);
    return choose(size < width, (wave * wave + width * width) * (0.5 / width), size);
}

void roe_vector(long n, in left, in right, double gamma, double width, out flux) {
    for (long i = 0; i + 8 <= n; i += 8) {
        V p[3], q[3];
        for (int j = 0; j < 3; j++) {
            p[j] = column(left + 3 * i, 3, j);
            q[j] = column(right + 3 * i, 3, j);
        }
        V ul = p[1] / p[0], pl = (gamma - 1) * (p[2] - 0.5 * p[1] * ul), hl = (p[2] + pl) / p[0];
        V ur = q[1] / q[0], pr = (gamma - 1) * (q[2] - 0.5 * q[1] * ur), hr = (q[2] + pr) / q[0];
        V root_l = root(p[0]), root_r = root(q[0]), inverse = 1.0 / (root_l + root_r);
        V u = (root_l * ul + root_r * ur) * inverse, h = (root_l * hl + root_r * hr) * inverse;
        V a2 = (gamma - 1) * (h - 0.5 * u * u), a = root(a2), density = root_l * root_r, inverse_a2 = 1.0 / a2;
        V w1 = fixed_abs(u - a, width) * 0.5 * (pr - pl - density * a * (ur - ul)) * inverse_a2;
        V w2 = fixed_abs(u, width) * (q[0] - p[0] - (pr - pl) * inverse_a2);
        V w3 = fixed_abs(u + a, width) * 0.5 * (pr - pl + density * a * (ur - ul)) * inverse_a2;
        V f[3] = {
            0.5 * (p[1] + q[1]) - 0.5 * (w1 + w2 + w3),
            0.5 * (p[1] * ul + pl + q[1] * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a)),
            0.5 * (p[1] * hl + q[1] * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a)),
        };
        for (int j = 0; j < 3; j++) EACH flux[3 * (i + lane) + j] = f[j][lane];
    }
}
