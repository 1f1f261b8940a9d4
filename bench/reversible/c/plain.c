// Objectives and hand-derived gradients in plain C; every gradient returns the value and overwrites its outputs.
// Built with gcc -O3 -march=native. Trajectories live in a buffer that is kept between calls.
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const double *restrict in;
typedef const long *restrict keys;
typedef double *restrict out;

static double *kept(long needed) {
    static double *buffer;
    static long size;
    if (size < needed) {
        free(buffer);
        buffer = malloc(sizeof(double) * needed);
        size = needed;
    }
    return buffer;
}

double sparse_dot(long n, in a, keys a_rows, keys a_starts, in b, keys b_rows, keys b_starts) {
    double total = 0;
    for (long column = 0; column < n; column++) {
        long i = a_starts[column], j = b_starts[column];
        while (i < a_starts[column + 1] && j < b_starts[column + 1]) {
            long left = a_rows[i], right = b_rows[j];
            if (left == right) total += a[i] * b[j];
            i += left <= right;
            j += right <= left;
        }
    }
    return total;
}

double sparse_dot_gradient(long n, in a, keys a_rows, keys a_starts, in b, keys b_rows, keys b_starts, out a_adj,
                           out b_adj) {
    double total = 0;
    memset(a_adj, 0, sizeof(double) * a_starts[n]);
    memset(b_adj, 0, sizeof(double) * b_starts[n]);
    for (long column = 0; column < n; column++) {
        long i = a_starts[column], j = b_starts[column];
        while (i < a_starts[column + 1] && j < b_starts[column + 1]) {
            long left = a_rows[i], right = b_rows[j];
            if (left == right) {
                total += a[i] * b[j];
                a_adj[i] = b[j];
                b_adj[j] = a[i];
            }
            i += left <= right;
            j += right <= left;
        }
    }
    return total;
}

double matvec(long n, in data, in vector, in alpha, in seed, keys rows, keys starts) {
    double *result = kept(2 * n), total = 0;
    memset(result, 0, sizeof(double) * 2 * n);
    for (long j = 0; j < n; j++) {
        double x = alpha[0] * vector[2 * j] - alpha[1] * vector[2 * j + 1];
        double y = alpha[0] * vector[2 * j + 1] + alpha[1] * vector[2 * j];
        for (long k = starts[j]; k < starts[j + 1]; k++) {
            double *at = result + 2 * rows[k];
            at[0] += data[2 * k] * x - data[2 * k + 1] * y;
            at[1] += data[2 * k] * y + data[2 * k + 1] * x;
        }
    }
    for (long i = 0; i < 2 * n; i++) total += result[i] * seed[i];
    return total;
}

double matvec_gradient(long n, in data, in vector, in alpha, in seed, keys rows, keys starts, out data_adj,
                       out vector_adj, out alpha_adj) {
    double total = matvec(n, data, vector, alpha, seed, rows, starts);
    alpha_adj[0] = alpha_adj[1] = 0;
    for (long j = 0; j < n; j++) {
        double v = vector[2 * j], w = vector[2 * j + 1];
        double x = alpha[0] * v - alpha[1] * w, y = alpha[0] * w + alpha[1] * v, x_adj = 0, y_adj = 0;
        for (long k = starts[j]; k < starts[j + 1]; k++) {
            double s = seed[2 * rows[k]], t = seed[2 * rows[k] + 1];
            data_adj[2 * k] = s * x + t * y;
            data_adj[2 * k + 1] = t * x - s * y;
            x_adj += s * data[2 * k] + t * data[2 * k + 1];
            y_adj += t * data[2 * k] - s * data[2 * k + 1];
        }
        vector_adj[2 * j] = alpha[0] * x_adj + alpha[1] * y_adj;
        vector_adj[2 * j + 1] = alpha[0] * y_adj - alpha[1] * x_adj;
        alpha_adj[0] += v * x_adj + w * y_adj;
        alpha_adj[1] += v * y_adj - w * x_adj;
    }
    return total;
}

double bessel(long n, in z) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        double square = z[i] * z[i] / 4, term = square / 2, total = term;
        for (double k = 1; fabs(term) > 1e-8; k++) {
            term *= -square / (k * (k + 2));
            total += term;
        }
        sum += total;
    }
    return sum;
}

// Forward mode: there is one input to each sum.
double bessel_gradient(long n, in z, out z_adj) {
    double sum = 0;
    for (long i = 0; i < n; i++) {
        double square = z[i] * z[i] / 4, term = square / 2, total = term, term_slope = 0.5, slope = term_slope;
        for (double k = 1; fabs(term) > 1e-8; k++) {
            double factor = -1 / (k * (k + 2));
            term_slope = factor * (term + square * term_slope);
            term *= factor * square;
            total += term;
            slope += term_slope;
        }
        sum += total;
        z_adj[i] = slope * z[i] / 2;
    }
    return sum;
}

double additions(double x, double one, long steps) {
    for (long i = 0; i < steps; i++) x += one;
    return x;
}

double additions_gradient(double x, double one, long steps, out x_adj, out one_adj) {
    double total = additions(x, one, steps), adj = 0;
    for (long i = 0; i < steps; i++) adj += 1;
    *x_adj = 1;
    *one_adj = adj;
    return total;
}

static void slope(in s, in p, double *d) {
    d[0] = p[0] * (s[1] - s[0]);
    d[1] = s[0] * (p[1] - s[2]) - s[1];
    d[2] = s[0] * s[1] - p[2] * s[2];
}

// The four states of a step at which slopes are taken, and these slopes.
static void stages(in s, in p, double dt, double at[4][3], double d[4][3]) {
    static const double ahead[4] = {0, 0.5, 0.5, 1};
    for (int stage = 0; stage < 4; stage++) {
        for (int i = 0; i < 3; i++) at[stage][i] = s[i] + (stage ? ahead[stage] * dt * d[stage - 1][i] : 0);
        slope(at[stage], p, d[stage]);
    }
}

double lorenz(in start, in p, double dt, long steps, double *states) {
    double s[3] = {start[0], start[1], start[2]}, at[4][3], d[4][3];
    for (long n = 0; n < steps; n++) {
        if (states) memcpy(states + 3 * n, s, sizeof s);
        stages(s, p, dt, at, d);
        for (int i = 0; i < 3; i++) s[i] += dt / 6 * (d[0][i] + 2 * d[1][i] + 2 * d[2][i] + d[3][i]);
    }
    return s[0];
}

double lorenz_gradient(in start, in p, double dt, long steps, out start_adj, out p_adj) {
    static const double ahead[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    double *states = kept(3 * steps), value = lorenz(start, p, dt, steps, states), a[3] = {1, 0, 0};
    p_adj[0] = p_adj[1] = p_adj[2] = 0;
    for (long n = steps; n-- > 0;) {
        double at[4][3], d[4][3], d_adj[4][3];
        stages(states + 3 * n, p, dt, at, d);
        for (int stage = 0; stage < 4; stage++)
            for (int i = 0; i < 3; i++) d_adj[stage][i] = dt / 6 * weight[stage] * a[i];
        for (int stage = 4; stage-- > 0;) {
            double *s = at[stage], *g = d_adj[stage];
            double back[3] = {-p[0] * g[0] + (p[1] - s[2]) * g[1] + s[1] * g[2], p[0] * g[0] - g[1] + s[0] * g[2],
                              -s[0] * g[1] - p[2] * g[2]};
            p_adj[0] += (s[1] - s[0]) * g[0];
            p_adj[1] += s[0] * g[1];
            p_adj[2] -= s[2] * g[2];
            for (int i = 0; i < 3; i++) {
                a[i] += back[i];
                if (stage) d_adj[stage - 1][i] += ahead[stage] * dt * back[i];
            }
        }
    }
    memcpy(start_adj, a, sizeof a);
    return value;
}

static void wave_step(long n, double *u, double *v, in courant) {
    for (long i = 1; i < n - 1; i++)
        for (long j = 1; j < n - 1; j++) {
            long k = i * n + j;
            v[k] += courant[k] * (u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4 * u[k]);
        }
    for (long k = 0; k < n * n; k++) u[k] += v[k];
}

double wave(long n, in u0, in v0, in courant, long steps) {
    double *u = kept(2 * n * n), *v = u + n * n, total = 0;
    memcpy(u, u0, sizeof(double) * n * n);
    memcpy(v, v0, sizeof(double) * n * n);
    for (long t = 0; t < steps; t++) wave_step(n, u, v, courant);
    for (long k = 0; k < n * n; k++) total += u[k] * u[k];
    return total;
}

// Nothing is kept: the steps are undone, as v -= courant * laplace(u - v) after u -= v.
double wave_gradient(long n, in u0, in v0, in courant, long steps, out u_adj, out courant_adj) {
    double total = wave(n, u0, v0, courant, steps), *u = kept(0), *v = u + n * n;
    double *v_adj = calloc(n * n, sizeof(double)), *pulled = calloc(n * n, sizeof(double));
    memset(courant_adj, 0, sizeof(double) * n * n);
    for (long k = 0; k < n * n; k++) u_adj[k] = 2 * u[k];
    for (long t = 0; t < steps; t++) {
        for (long k = 0; k < n * n; k++) {
            u[k] -= v[k];
            v_adj[k] += u_adj[k];
        }
        for (long i = 1; i < n - 1; i++)
            for (long j = 1; j < n - 1; j++) {
                long k = i * n + j;
                double laplace = u[k + n] + u[k - n] + u[k + 1] + u[k - 1] - 4 * u[k];
                v[k] -= courant[k] * laplace;
                courant_adj[k] += laplace * v_adj[k];
                pulled[k] = courant[k] * v_adj[k];
            }
        // The border of `pulled` stays zero, so the operator is its own transpose, and reaches the border of u too.
        for (long i = 0; i < n; i++)
            for (long j = 0; j < n; j++) {
                long k = i * n + j;
                double sum = -4 * pulled[k];
                if (i > 0) sum += pulled[k - n];
                if (i < n - 1) sum += pulled[k + n];
                if (j > 0) sum += pulled[k - 1];
                if (j < n - 1) sum += pulled[k + 1];
                u_adj[k] += sum;
            }
    }
    free(v_adj);
    free(pulled);
    return total;
}

// Distances of pairs, their mean and their sample variance.
static void distances(long pairs, long k, in points, keys ends, double *found, double *mean, double *variance) {
    *mean = *variance = 0;
    for (long e = 0; e < pairs; e++) {
        in a = points + k * ends[2 * e], b = points + k * ends[2 * e + 1];
        double square = 0;
        for (long c = 0; c < k; c++) square += (a[c] - b[c]) * (a[c] - b[c]);
        found[e] = sqrt(square);
        *mean += found[e] / pairs;
    }
    for (long e = 0; e < pairs; e++) *variance += (found[e] - *mean) * (found[e] - *mean) / (pairs - 1);
}

double embedding(long edges, long others, long k, in points, keys edge_ends, keys other_ends) {
    double near[edges], far[others], near_mean, far_mean, near_variance, far_variance;
    distances(edges, k, points, edge_ends, near, &near_mean, &near_variance);
    distances(others, k, points, other_ends, far, &far_mean, &far_variance);
    return near_variance + far_variance + exp(fmax(near_mean - far_mean + 0.1, 0)) - 1;
}

static void pull(long pairs, long k, in points, keys ends, in found, double mean, double by_mean, out points_adj) {
    for (long e = 0; e < pairs; e++) {
        double factor = (2 * (found[e] - mean) / (pairs - 1) + by_mean / pairs) / found[e];
        for (long c = 0; c < k; c++) {
            long a = k * ends[2 * e] + c, b = k * ends[2 * e + 1] + c;
            double part = factor * (points[a] - points[b]);
            points_adj[a] += part;
            points_adj[b] -= part;
        }
    }
}

double embedding_gradient(long edges, long others, long k, in points, keys edge_ends, keys other_ends,
                          out points_adj) {
    double near[edges], far[others], near_mean, far_mean, near_variance, far_variance;
    distances(edges, k, points, edge_ends, near, &near_mean, &near_variance);
    distances(others, k, points, other_ends, far, &far_mean, &far_variance);
    double gap = near_mean - far_mean + 0.1, by_gap = gap > 0 ? exp(gap) : 0;
    memset(points_adj, 0, sizeof(double) * 10 * k);
    pull(edges, k, points, edge_ends, near, near_mean, by_gap, points_adj);
    pull(others, k, points, other_ends, far, far_mean, -by_gap, points_adj);
    return near_variance + far_variance + exp(fmax(gap, 0)) - 1;
}

// One point through the layers, and what its two numbers have become.
static void couple(long layers, long hidden, in w, in b, in v, in d, double *x, double *y) {
    for (long l = 0; l < layers; l++) {
        double sum = *y + d[l];
        for (long h = l * hidden; h < (l + 1) * hidden; h++) sum += v[h] * fmax(w[h] * *x + b[h], 0);
        *y = *x;
        *x = sum;
    }
}

double flow(long n, long layers, long hidden, in w, in b, in v, in d, in points) {
    double total = 0;
    for (long i = 0; i < n; i++) {
        double x = points[2 * i], y = points[2 * i + 1];
        couple(layers, hidden, w, b, v, d, &x, &y);
        total += 0.5 * (x * x + y * y);
    }
    return total / n;
}

// The layers are undone; nothing is kept.
double flow_gradient(long n, long layers, long hidden, in w, in b, in v, in d, in points, out w_adj, out b_adj,
                     out v_adj, out d_adj) {
    double total = 0;
    for (long h = 0; h < layers * hidden; h++) w_adj[h] = b_adj[h] = v_adj[h] = 0;
    for (long l = 0; l < layers; l++) d_adj[l] = 0;
    for (long i = 0; i < n; i++) {
        double x = points[2 * i], y = points[2 * i + 1];
        couple(layers, hidden, w, b, v, d, &x, &y);
        total += 0.5 * (x * x + y * y);
        double x_adj = x / n, y_adj = y / n;
        for (long l = layers; l-- > 0;) {
            double before = y, sum = d[l], sum_adj = x_adj, before_adj = y_adj;
            for (long h = l * hidden; h < (l + 1) * hidden; h++) {
                double inside = w[h] * before + b[h], on = inside > 0 ? 1 : 0;
                sum += v[h] * on * inside;
                v_adj[h] += on * inside * sum_adj;
                double inside_adj = on * v[h] * sum_adj;
                w_adj[h] += inside_adj * before;
                b_adj[h] += inside_adj;
                before_adj += inside_adj * w[h];
            }
            d_adj[l] += sum_adj;
            y = x - sum;
            x = before;
            y_adj = sum_adj;
            x_adj = before_adj;
        }
    }
    return total / n;
}

// ADBench's mixture model; with `alphas_adj`, its gradient as well.
static double mixture_sweep(long n, long d, long clusters, in alphas, in means, in packed, in points, double gamma,
                            long wishart, double *alphas_adj, double *means_adj, double *packed_adj) {
    long width = d * (d + 1) / 2;
    double diagonal[clusters][d], sums[clusters], terms[clusters], moved[d], pulled[d], total = 0, prior = 0;
    for (long k = 0; k < clusters; k++) {
        in q = packed + k * width;
        sums[k] = 0;
        for (long r = 0; r < d; r++) {
            sums[k] += q[r];
            diagonal[k][r] = exp(q[r]);
            prior += diagonal[k][r] * diagonal[k][r];
        }
        for (long j = d; j < width; j++) prior += q[j] * q[j];
    }
    for (long i = 0; i < n; i++) {
        double largest = -INFINITY, sum = 0;
        for (long k = 0; k < clusters; k++) {
            in lower = packed + k * width + d;
            double square = 0;
            for (long c = 0; c < d; c++) moved[c] = points[i * d + c] - means[k * d + c];
            for (long r = 0; r < d; r++) {
                double entry = diagonal[k][r] * moved[r];
                for (long c = 0; c < r; c++) entry += lower[c * d - c * (c + 1) / 2 + r - c - 1] * moved[c];
                square += entry * entry;
            }
            terms[k] = alphas[k] + sums[k] - 0.5 * square;
            largest = fmax(largest, terms[k]);
        }
        for (long k = 0; k < clusters; k++) sum += exp(terms[k] - largest);
        total += largest + log(sum);
        for (long k = 0; alphas_adj && k < clusters; k++) {
            in lower = packed + k * width + d;
            double weight = exp(terms[k] - largest) / sum, *q_adj = packed_adj + k * width, *lower_adj = q_adj + d;
            alphas_adj[k] += weight;
            for (long c = 0; c < d; c++) {
                moved[c] = points[i * d + c] - means[k * d + c];
                pulled[c] = 0;
            }
            for (long r = 0; r < d; r++) {
                double entry = diagonal[k][r] * moved[r];
                for (long c = 0; c < r; c++) entry += lower[c * d - c * (c + 1) / 2 + r - c - 1] * moved[c];
                double entry_adj = -weight * entry;
                for (long c = 0; c < r; c++) {
                    long at = c * d - c * (c + 1) / 2 + r - c - 1;
                    lower_adj[at] += entry_adj * moved[c];
                    pulled[c] += entry_adj * lower[at];
                }
                q_adj[r] += entry_adj * moved[r] * diagonal[k][r] + weight;
                pulled[r] += entry_adj * diagonal[k][r];
            }
            for (long c = 0; c < d; c++) means_adj[k * d + c] -= pulled[c];
        }
    }
    double largest = -INFINITY, sum = 0, all = 0, freedom = d + wishart + 1;
    for (long k = 0; k < clusters; k++) largest = fmax(largest, alphas[k]);
    for (long k = 0; k < clusters; k++) {
        sum += exp(alphas[k] - largest);
        all += sums[k];
    }
    for (long k = 0; alphas_adj && k < clusters; k++) {
        alphas_adj[k] -= n * exp(alphas[k] - largest) / sum;
        for (long j = 0; j < width; j++) {
            double x = j < d ? diagonal[k][j] : packed[k * width + j];
            packed_adj[k * width + j] += gamma * gamma * x * x / (j < d ? 1 : x) - (j < d ? wishart : 0);
        }
    }
    double constant = freedom * d * (log(gamma) - 0.5 * log(2)) - 0.25 * d * (d - 1) * log(M_PI);
    for (long j = 1; j <= d; j++) constant -= lgamma(0.5 * freedom + 0.5 * (1 - j));
    return total - n * (largest + log(sum)) + 0.5 * gamma * gamma * prior - wishart * all - clusters * constant -
           0.5 * n * d * log(2 * M_PI);
}

double mixture(long n, long d, long clusters, in alphas, in means, in packed, in points, double gamma, long wishart) {
    return mixture_sweep(n, d, clusters, alphas, means, packed, points, gamma, wishart, NULL, NULL, NULL);
}

double mixture_gradient(long n, long d, long clusters, in alphas, in means, in packed, in points, double gamma,
                        long wishart, out alphas_adj, out means_adj, out packed_adj) {
    memset(alphas_adj, 0, sizeof(double) * clusters);
    memset(means_adj, 0, sizeof(double) * clusters * d);
    memset(packed_adj, 0, sizeof(double) * clusters * d * (d + 1) / 2);
    return mixture_sweep(n, d, clusters, alphas, means, packed, points, gamma, wishart, alphas_adj, means_adj,
                         packed_adj);
}

// Sound with absorbing layers: `now` and `old` are pressures, `new` takes the next one; phi and psi move on.
static double acoustic_step(long n, in speed, in sigma, in tau, double pulse, double h, double dt, in old, in now,
                            double *restrict new, double *restrict phi, double *restrict psi) {
    double total = 0;
    for (long i = 1; i < n - 1; i++)
        for (long k = i * n + 1; k < i * n + n - 1; k++) {
            double courant = speed[k] * (dt / h) * (dt / h), half = 0.5 * (sigma[k] + tau[k]) * dt;
            new[k] = ((2 - sigma[k] * tau[k] * dt * dt - 4 * courant) * now[k] +
                      courant * (now[k + n] + now[k - n] + now[k + 1] + now[k - 1]) +
                      dt * dt / (2 * h) * (phi[k + n] - phi[k - n] + psi[k + 1] - psi[k - 1]) - (1 - half) * old[k]) /
                     (1 + half);
        }
    for (long i = 1; i < n - 1; i++)
        for (long k = i * n + 1; k < i * n + n - 1; k++) {
            double turned = dt * speed[k] * (tau[k] - sigma[k]) / (2 * h);
            phi[k] = (1 - dt * sigma[k]) * phi[k] + turned * (new[k + n] - new[k - n]);
            psi[k] = (1 - dt * tau[k]) * psi[k] - turned * (new[k + 1] - new[k - 1]);
        }
    new[(n / 2 - 2) * n + n / 2 - 2] += pulse;
    for (long k = 0; k < n * n; k++) total += new[k] * new[k];
    return total;
}

double acoustic(long n, long steps, in speed, in sigma, in tau, in source, double h, double dt) {
    long size = n * n;
    double *fields = calloc(5 * size, sizeof(double)), *old = fields, *now = fields + size, *new = fields + 2 * size;
    double total = 0;
    for (long t = 0; t < steps; t++) {
        total += acoustic_step(n, speed, sigma, tau, source[t] * dt * dt, h, dt, old, now, new, fields + 3 * size,
                               fields + 4 * size);
        double *free = old;
        old = now, now = new, new = free;
    }
    free(fields);
    return total;
}

// All pressures are kept; phi and psi are linear in them, so that only their adjoints are needed.
double acoustic_gradient(long n, long steps, in speed, in sigma, in tau, in source, double h, double dt,
                         out speed_adj) {
    long size = n * n, at = (n / 2 - 2) * n + n / 2 - 2;
    double *states = kept((steps + 2) * size), *fields = calloc(6 * size, sizeof(double)), total = 0;
    double *phi = fields, *psi = fields + size, *phi_adj = fields + 2 * size, *psi_adj = fields + 3 * size;
    double *now_adj = fields + 4 * size, *old_adj = fields + 5 * size;
    memset(states, 0, sizeof(double) * (steps + 2) * size);
    memset(speed_adj, 0, sizeof(double) * size);
    for (long t = 0; t < steps; t++)
        total += acoustic_step(n, speed, sigma, tau, source[t] * dt * dt, h, dt, states + t * size,
                               states + (t + 1) * size, states + (t + 2) * size, phi, psi);
    for (long t = steps; t-- > 0;) {
        double *now = states + (t + 1) * size, *new = states + (t + 2) * size, *swapped = now_adj;
        for (long k = 0; k < size; k++) now_adj[k] += 2 * new[k];
        new[at] -= source[t] * dt * dt;
        for (long i = 1; i < n - 1; i++)
            for (long k = i * n + 1; k < i * n + n - 1; k++) {
                double slope = dt * (tau[k] - sigma[k]) / (2 * h), turned = slope * speed[k];
                speed_adj[k] += slope * (phi_adj[k] * (new[k + n] - new[k - n]) - psi_adj[k] * (new[k + 1] - new[k - 1]));
                now_adj[k + n] += turned * phi_adj[k];
                now_adj[k - n] -= turned * phi_adj[k];
                now_adj[k + 1] -= turned * psi_adj[k];
                now_adj[k - 1] += turned * psi_adj[k];
                phi_adj[k] *= 1 - dt * sigma[k];
                psi_adj[k] *= 1 - dt * tau[k];
            }
        for (long i = 1; i < n - 1; i++)
            for (long k = i * n + 1; k < i * n + n - 1; k++) {
                double share = dt * dt / (h * h), courant = speed[k] * share, half = 0.5 * (sigma[k] + tau[k]) * dt;
                double g = now_adj[k] / (1 + half), b = dt * dt / (2 * h) * g;
                speed_adj[k] += share * g * (now[k + n] + now[k - n] + now[k + 1] + now[k - 1] - 4 * now[k]);
                old_adj[k] += (2 - sigma[k] * tau[k] * dt * dt - 4 * courant) * g;
                old_adj[k + n] += courant * g;
                old_adj[k - n] += courant * g;
                old_adj[k + 1] += courant * g;
                old_adj[k - 1] += courant * g;
                phi_adj[k + n] += b;
                phi_adj[k - n] -= b;
                psi_adj[k + 1] += b;
                psi_adj[k - 1] -= b;
                swapped[k] = -(1 - half) * g;
            }
        for (long i = 0; i < n; i++) swapped[i] = swapped[size - 1 - i] = swapped[i * n] = swapped[i * n + n - 1] = 0;
        now_adj = old_adj, old_adj = swapped;
    }
    free(fields);
    return total;
}
