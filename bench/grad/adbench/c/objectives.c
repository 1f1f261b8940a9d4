// The objectives of ADBench's LSTM and hand tracking in plain C, computed as its own C++ computes them: one number at a
// time, and in hand tracking all vertices of the model, though only those that correspond to a point are looked at.
// Built with gcc -O3 -march=native, without -ffast-math, as the published tools were.
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef const double *restrict in;
typedef double *restrict out;

enum { BITS = 14, BONES = 22, MAP = 12 };

static double sigmoid(double x) { return 1 / (1 + exp(-x)); }

// One layer: `x` goes in and comes out, `hidden` and `cell` are its state.
static void lstm_layer(in weight, in bias, double *x, out hidden, out cell) {
    for (long b = 0; b < BITS; b++) {
        double forget = sigmoid(x[b] * weight[b] + bias[b]);
        double in_gate = sigmoid(hidden[b] * weight[BITS + b] + bias[BITS + b]);
        double out_gate = sigmoid(x[b] * weight[2 * BITS + b] + bias[2 * BITS + b]);
        double change = tanh(hidden[b] * weight[3 * BITS + b] + bias[3 * BITS + b]);
        cell[b] = cell[b] * forget + in_gate * change;
        hidden[b] = out_gate * tanh(cell[b]);
        x[b] = hidden[b];
    }
}

double lstm(long layers, long characters, in weights, in extra, in start, in sequence) {
    double state[layers * 2 * BITS], x[BITS], total = 0;
    memcpy(state, start, sizeof state);
    for (long t = 0; t + 1 < characters; t++) {
        double sum = 0, along = 0, all = 0;
        for (long b = 0; b < BITS; b++) x[b] = extra[b] * sequence[t * BITS + b];
        for (long l = 0; l < layers; l++) {
            in layer = weights + l * 8 * BITS;
            lstm_layer(layer, layer + 4 * BITS, x, state + 2 * l * BITS, state + (2 * l + 1) * BITS);
        }
        for (long b = 0; b < BITS; b++) {
            double y = x[b] * extra[BITS + b] + extra[2 * BITS + b], wanted = sequence[(t + 1) * BITS + b];
            sum += exp(y);
            along += wanted * y;
            all += wanted;
        }
        total += along - all * log(2 + sum);
    }
    return -total / (BITS * (characters - 1));
}

// c = a b, where a and b are affine maps of three rows and four columns.
static void compose(in a, in b, out c) {
    for (long i = 0; i < 3; i++) {
        for (long j = 0; j < 4; j++) c[4 * i + j] = a[4 * i] * b[j] + a[4 * i + 1] * b[4 + j] + a[4 * i + 2] * b[8 + j];
        c[4 * i + 3] += a[4 * i + 3];
    }
}

// The affine map of every bone: turned by its finger's angles, carried by its parent, back from its base.
static void bone_maps(in angles, const long *restrict parents, in base, in inverse, out maps) {
    double absolute[BONES][MAP], relative[MAP];
    for (long bone = 0; bone < BONES; bone++) {
        long finger = (bone - 2) / 4, joint = (bone - 2) % 4;
        memcpy(relative, base + bone * MAP, sizeof relative);
        if (bone >= 2 && finger < 5 && joint < 3) {
            in bend = angles + 6 + 4 * finger;
            double x = joint == 0 ? bend[0] : bend[1 + joint], z = joint == 0 ? bend[1] : 0;
            double cx = cos(x), sx = sin(x), cz = cos(z), sz = sin(z);
            for (double *row = relative; row < relative + MAP; row += 4) {
                double a = row[0], b = row[1], c = row[2], side = b * cz - a * sz;
                row[0] = a * cz + b * sz;
                row[1] = side * cx + c * sx;
                row[2] = c * cx - side * sx;
            }
        }
        if (parents[bone] < 0)
            memcpy(absolute[bone], relative, sizeof relative);
        else
            compose(absolute[parents[bone]], relative, absolute[bone]);
        compose(absolute[bone], inverse + bone * MAP, maps + bone * MAP);
    }
}

// All vertices: blends of the bones' maps, then the motion of the whole hand.
static void all_vertices(long count, in angles, in maps, in weights, in positions, out moved) {
    double angle = sqrt(angles[0] * angles[0] + angles[1] * angles[1] + angles[2] * angles[2]);
    double turn[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    if (angle >= 1e-4) {
        double x = angles[0] / angle, y = angles[1] / angle, z = angles[2] / angle, c = cos(angle), s = sin(angle);
        double turned[9] = {x * x + (1 - x * x) * c,     x * y * (1 - c) - z * s, x * z * (1 - c) + y * s,
                            x * y * (1 - c) + z * s,     y * y + (1 - y * y) * c, y * z * (1 - c) - x * s,
                            x * z * (1 - c) - y * s,     y * z * (1 - c) + x * s, z * z + (1 - z * z) * c};
        memcpy(turn, turned, sizeof turn);
    }
    for (long v = 0; v < count; v++) {
        in p = positions + 3 * v;
        double local[3] = {0};
        for (long bone = 0; bone < BONES; bone++) {
            in map = maps + bone * MAP;
            double share = weights[v * BONES + bone];
            for (long r = 0; r < 3; r++)
                local[r] += share * (map[4 * r] * p[0] + map[4 * r + 1] * p[1] + map[4 * r + 2] * p[2] + map[4 * r + 3]);
        }
        for (long r = 0; r < 3; r++)
            moved[3 * v + r] = turn[3 * r] * local[0] + turn[3 * r + 1] * local[1] + turn[3 * r + 2] * local[2] + angles[3 + r];
    }
}

static double *hand_vertices(long count, in angles, const long *restrict parents, in base, in inverse, in weights,
                             in positions) {
    double maps[BONES * MAP], *moved = malloc(3 * count * sizeof(double));
    bone_maps(angles, parents, base, inverse, maps);
    all_vertices(count, angles, maps, weights, positions, moved);
    return moved;
}

void hand_simple(long vertices, long n, in angles, const long *restrict parents, in base, in inverse, in weights,
                 in positions, in points, const long *restrict vertex_of, out errors) {
    double *moved = hand_vertices(vertices, angles, parents, base, inverse, weights, positions);
    for (long i = 0; i < n; i++)
        for (long r = 0; r < 3; r++) errors[3 * i + r] = points[3 * i + r] - moved[3 * vertex_of[i] + r];
    free(moved);
}

void hand_full(long vertices, long n, in angles, const long *restrict parents, in base, in inverse, in weights,
               in positions, in points, const long *restrict corners, in coordinates, out errors) {
    double *moved = hand_vertices(vertices, angles, parents, base, inverse, weights, positions);
    for (long i = 0; i < n; i++) {
        double u = coordinates[2 * i], v = coordinates[2 * i + 1];
        const long *at = corners + 3 * i;
        for (long r = 0; r < 3; r++)
            errors[3 * i + r] = points[3 * i + r] - u * moved[3 * at[0] + r] - v * moved[3 * at[1] + r] -
                                (1 - u - v) * moved[3 * at[2] + r];
    }
    free(moved);
}
