// The eight programs in plain C, as a careful programmer writes them: restrict pointers, no intrinsics.
// Built with gcc -O3 -march=native -ffast-math -fopenmp-simd.
#include <math.h>
#include <stdlib.h>

typedef const double *restrict in;
typedef double *restrict out;

double mixture(long n, long d, long clusters, in alphas, in means, in packed, in points, double gamma) {
    long width = d + d * (d - 1) / 2;
    double diagonal[clusters * d], offset[clusters], terms[clusters], centred[d], entries[d], prior = 0, total = 0;
    for (long k = 0; k < clusters; k++) {
        in q = packed + k * width;
        offset[k] = alphas[k];
        for (long j = 0; j < d; j++) {
            diagonal[k * d + j] = exp(q[j]);
            offset[k] += q[j];
            prior += diagonal[k * d + j] * diagonal[k * d + j];
        }
        for (long j = d; j < width; j++) prior += q[j] * q[j];
    }
    for (long i = 0; i < n; i++) {
        double largest = -INFINITY, sum = 0;
        for (long k = 0; k < clusters; k++) {
            in below = packed + k * width + d;
            for (long j = 0; j < d; j++) {
                centred[j] = points[i * d + j] - means[k * d + j];
                entries[j] = diagonal[k * d + j] * centred[j];
            }
            for (long c = 0; c < d; c++) {
                double factor = centred[c];
#pragma omp simd
                for (long r = c + 1; r < d; r++) entries[r] += below[r - c - 1] * factor;
                below += d - c - 1;
            }
            double square = 0;
#pragma omp simd reduction(+ : square)
            for (long j = 0; j < d; j++) square += entries[j] * entries[j];
            terms[k] = offset[k] - 0.5 * square;
            if (terms[k] > largest) largest = terms[k];
        }
        for (long k = 0; k < clusters; k++) sum += exp(terms[k] - largest);
        total += largest + log(sum);
    }
    double largest = -INFINITY, sum = 0;
    for (long k = 0; k < clusters; k++) largest = alphas[k] > largest ? alphas[k] : largest;
    for (long k = 0; k < clusters; k++) sum += exp(alphas[k] - largest);
    return total - n * (largest + log(sum)) - 0.5 * gamma * gamma * prior - 0.5 * n * d * log(2 * M_PI);
}

void bundle(long n, in cameras, in points, in weights, in features, const long *restrict camera_of,
            const long *restrict point_of, out errors) {
#pragma omp simd
    for (long i = 0; i < n; i++) {
        in c = cameras + 11 * camera_of[i];
        in p = points + 3 * point_of[i];
        double x = p[0] - c[3], y = p[1] - c[4], z = p[2] - c[5], u, v, w;
        double angle2 = c[0] * c[0] + c[1] * c[1] + c[2] * c[2];
        if (angle2 > 0) {
            double angle = sqrt(angle2), cosine = cos(angle), sine = sin(angle), inverse = 1 / angle;
            double a = c[0] * inverse, b = c[1] * inverse, e = c[2] * inverse;
            double along = (a * x + b * y + e * z) * (1 - cosine);
            u = x * cosine + (b * z - e * y) * sine + a * along;
            v = y * cosine + (e * x - a * z) * sine + b * along;
            w = z * cosine + (a * y - b * x) * sine + e * along;
        } else {
            u = x + c[1] * z - c[2] * y;
            v = y + c[2] * x - c[0] * z;
            w = z + c[0] * y - c[1] * x;
        }
        u /= w;
        v /= w;
        double r2 = u * u + v * v, scale = c[6] * (1 + c[9] * r2 + c[10] * r2 * r2);
        errors[2 * i] = weights[i] * (scale * u + c[7] - features[2 * i]);
        errors[2 * i + 1] = weights[i] * (scale * v + c[8] - features[2 * i + 1]);
    }
}

double burgers(long n, in start, in target, double courant, long steps) {
    double u[n], half[n], loss = 0;
    for (long i = 0; i < n; i++) u[i] = start[i];
    for (long t = 0; t < steps; t++) {
        for (long i = 0; i < n - 1; i++)
            half[i] = 0.5 * (u[i] + u[i + 1]) - 0.25 * courant * (u[i + 1] * u[i + 1] - u[i] * u[i]);
        half[n - 1] = 0.5 * (u[n - 1] + u[0]) - 0.25 * courant * (u[0] * u[0] - u[n - 1] * u[n - 1]);
        u[0] -= 0.5 * courant * (half[0] * half[0] - half[n - 1] * half[n - 1]);
        for (long i = 1; i < n; i++) u[i] -= 0.5 * courant * (half[i] * half[i] - half[i - 1] * half[i - 1]);
    }
    for (long i = 0; i < n; i++) loss += (u[i] - target[i]) * (u[i] - target[i]);
    return 0.5 * loss;
}

double lotka_volterra(in rates, double h, long steps) {
    double a = rates[0], b = rates[1], d = rates[2], c = rates[3], x = 1, y = 1;
#define SLOPE(k, l, x, y) double k = a * (x) - b * (x) * (y), l = d * (x) * (y) - c * (y)
    for (long t = 0; t < steps; t++) {
        SLOPE(k1, l1, x, y);
        SLOPE(k2, l2, x + 0.5 * h * k1, y + 0.5 * h * l1);
        SLOPE(k3, l3, x + 0.5 * h * k2, y + 0.5 * h * l2);
        SLOPE(k4, l4, x + h * k3, y + h * l3);
        x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        y += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return x * x + y;
}

double csr(long n, const long *restrict start, const long *restrict column, in value, in x) {
    double total = 0;
    for (long i = 0; i < n; i++) {
        double row = 0;
        for (long k = start[i]; k < start[i + 1]; k++) row += value[k] * x[column[k]];
        total += x[i] * row;
    }
    return 0.5 * total;
}

double kmeans(long n, long clusters, long d, in points, in centres) {
    double total = 0;
    for (long i = 0; i < n; i++) {
        double best = INFINITY;
        for (long k = 0; k < clusters; k++) {
            double square = 0;
            for (long j = 0; j < d; j++) {
                double difference = points[i * d + j] - centres[k * d + j];
                square += difference * difference;
            }
            if (square < best) best = square;
        }
        total += best;
    }
    return total;
}

void arm(long n, in angles, in table, out tool) {
    for (long b = 0; b < n; b++) {
        double frame[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
        for (long j = 0; j < 6; j++) {
            double cosine = cos(angles[6 * b + j]), sine = sin(angles[6 * b + j]);
            in link = table + 4 * j;
            for (long r = 0; r < 3; r++) {
                double x = frame[r][0], y = frame[r][1], z = frame[r][2];
                double forward = cosine * x + sine * y, side = cosine * y - sine * x;
                frame[r][0] = forward;
                frame[r][1] = link[2] * side + link[3] * z;
                frame[r][2] = link[2] * z - link[3] * side;
                frame[r][3] += link[0] * forward + link[1] * z;
            }
        }
        for (long r = 0; r < 3; r++) {
            tool[6 * b + r] = frame[r][3];
            tool[6 * b + 3 + r] = frame[r][0];
        }
    }
}

static inline double fixed_abs(double wave, double width) {
    double size = fabs(wave);
    return size < width ? (wave * wave + width * width) / (2 * width) : size;
}

void roe(long n, in left, in right, double gamma, double width, out flux) {
#pragma omp simd
    for (long i = 0; i < n; i++) {
        double p0 = left[3 * i], p1 = left[3 * i + 1], p2 = left[3 * i + 2];
        double q0 = right[3 * i], q1 = right[3 * i + 1], q2 = right[3 * i + 2];
        double ul = p1 / p0, pl = (gamma - 1) * (p2 - 0.5 * p1 * ul), hl = (p2 + pl) / p0;
        double ur = q1 / q0, pr = (gamma - 1) * (q2 - 0.5 * q1 * ur), hr = (q2 + pr) / q0;
        double root_l = sqrt(p0), root_r = sqrt(q0), inverse = 1 / (root_l + root_r);
        double u = (root_l * ul + root_r * ur) * inverse, h = (root_l * hl + root_r * hr) * inverse;
        double a2 = (gamma - 1) * (h - 0.5 * u * u), a = sqrt(a2), density = root_l * root_r, inverse_a2 = 1 / a2;
        double w1 = fixed_abs(u - a, width) * 0.5 * (pr - pl - density * a * (ur - ul)) * inverse_a2;
        double w2 = fixed_abs(u, width) * (q0 - p0 - (pr - pl) * inverse_a2);
        double w3 = fixed_abs(u + a, width) * 0.5 * (pr - pl + density * a * (ur - ul)) * inverse_a2;
        flux[3 * i] = 0.5 * (p1 + q1) - 0.5 * (w1 + w2 + w3);
        flux[3 * i + 1] = 0.5 * (p1 * ul + pl + q1 * ur + pr) - 0.5 * (w1 * (u - a) + w2 * u + w3 * (u + a));
        flux[3 * i + 2] =
            0.5 * (p1 * hl + q1 * hr) - 0.5 * (w1 * (h - u * a) + w2 * 0.5 * u * u + w3 * (h + u * a));
    }
}
