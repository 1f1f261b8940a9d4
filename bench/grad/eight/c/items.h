// Hand-derived derivatives of one item, written once for a number type T: a double, or eight of them in a register.
// The includer defines T, SIN, COS, ROOT and CHOOSE(condition, a, b).

// Derivative of w * (f L (u, v) + centre - feature) by camera (11), point (3) and weight, row by row. No camera of the
// data has angle zero: that branch is left out, which favours C.
static inline void bundle_item(const T *c, const T *p, T weight, const T *feature, T *J) {
    T x = p[0] - c[3], y = p[1] - c[4], z = p[2] - c[5];
    T angle = ROOT(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]), inverse = 1.0 / angle;
    T cosine = COS(angle), sine = SIN(angle), rest = 1.0 - cosine;
    T w[3] = {c[0] * inverse, c[1] * inverse, c[2] * inverse}, X[3] = {x, y, z};
    T dot = w[0] * x + w[1] * y + w[2] * z;
    T across[3] = {w[1] * z - w[2] * y, w[2] * x - w[0] * z, w[0] * y - w[1] * x};
    T turned[3], by_angle[3], rotation[9], by_axis[9], by_vector[9];
    for (int i = 0; i < 3; i++) {
        turned[i] = X[i] * cosine + across[i] * sine + w[i] * dot * rest;
        by_angle[i] = across[i] * cosine - X[i] * sine + w[i] * dot * sine;
        for (int j = 0; j < 3; j++) {
            rotation[3 * i + j] = rest * w[i] * w[j];
            by_axis[3 * i + j] = rest * w[i] * X[j];
        }
        rotation[4 * i] += cosine;
        by_axis[4 * i] += rest * dot;
    }
    for (int i = 0; i < 3; i++) {  // the cross product w x X: by X it is [w], by w it is -[X]
        int j = (i + 1) % 3, k = (i + 2) % 3;
        rotation[3 * i + j] -= sine * w[k];
        rotation[3 * i + k] += sine * w[j];
        by_axis[3 * i + j] += sine * X[k];
        by_axis[3 * i + k] -= sine * X[j];
    }
    for (int i = 0; i < 3; i++) {  // the axis is r / |r|: project, then divide by the angle
        T along = by_axis[3 * i] * w[0] + by_axis[3 * i + 1] * w[1] + by_axis[3 * i + 2] * w[2];
        for (int j = 0; j < 3; j++)
            by_vector[3 * i + j] = by_angle[i] * w[j] + (by_axis[3 * i + j] - along * w[j]) * inverse;
    }
    T depth = 1.0 / turned[2], u = turned[0] * depth, v = turned[1] * depth, r2 = u * u + v * v;
    T stretch = 1.0 + c[9] * r2 + c[10] * r2 * r2, slope = 2.0 * (c[9] + 2.0 * c[10] * r2), wf = weight * c[6];
    T uu = wf * (stretch + slope * u * u), uv = wf * slope * u * v, vv = wf * (stretch + slope * v * v);
    T by_turned[6] = {uu * depth, uv * depth, -(uu * u + uv * v) * depth,
                      uv * depth, vv * depth, -(uv * u + vv * v) * depth};
    T image[2] = {u, v}, zero = u - u;
    for (int row = 0; row < 2; row++) {
        T *g = J + 15 * row;
        const T *q = by_turned + 3 * row;
        for (int j = 0; j < 3; j++) {
            g[j] = q[0] * by_vector[j] + q[1] * by_vector[3 + j] + q[2] * by_vector[6 + j];
            g[11 + j] = q[0] * rotation[j] + q[1] * rotation[3 + j] + q[2] * rotation[6 + j];
            g[3 + j] = -g[11 + j];
        }
        g[6] = weight * stretch * image[row];
        g[7] = row ? zero : weight;
        g[8] = row ? weight : zero;
        g[9] = wf * r2 * image[row];
        g[10] = g[9] * r2;
        g[14] = c[6] * stretch * image[row] + c[7 + row] - feature[row];
    }
}

// The geometric Jacobian: joint j turns about its axis through its origin.
static inline void arm_item(const T *angle, const double *table, T *J) {
    T zero = angle[0] - angle[0], frame[3][4], axis[6][3], origin[6][3];
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 4; k++) frame[r][k] = k == r ? zero + 1.0 : zero;
    for (int j = 0; j < 6; j++) {
        T cosine = COS(angle[j]), sine = SIN(angle[j]);
        const double *link = table + 4 * j;
        for (int r = 0; r < 3; r++) {
            T x = frame[r][0], y = frame[r][1], z = frame[r][2];
            T forward = cosine * x + sine * y, side = cosine * y - sine * x;
            axis[j][r] = z;
            origin[j][r] = frame[r][3];
            frame[r][0] = forward;
            frame[r][1] = link[2] * side + link[3] * z;
            frame[r][2] = link[2] * z - link[3] * side;
            frame[r][3] += link[0] * forward + link[1] * z;
        }
    }
    for (int j = 0; j < 6; j++)
        for (int r = 0; r < 3; r++) {
            int s = (r + 1) % 3, t = (r + 2) % 3;
            J[6 * r + j] = axis[j][s] * (frame[t][3] - origin[j][t]) - axis[j][t] * (frame[s][3] - origin[j][s]);
            J[18 + 6 * r + j] = axis[j][s] * frame[t][0] - axis[j][t] * frame[s][0];
        }
}

// By hand through six quantities q = (jumps of density, speed, pressure; Roe density, speed, enthalpy): the
// dissipation's 3 x 6 derivative by q, times the sparse derivative of q by the two states.
static inline void roe_item(const T *left, const T *right, double gamma, double width, T *J) {
    const T *state[2] = {left, right};
    double g1 = gamma - 1.0;
    T speed[2], pressure[2], enthalpy[2], inverse[2], root[2];
    for (int s = 0; s < 2; s++) {
        inverse[s] = 1.0 / state[s][0];
        speed[s] = state[s][1] * inverse[s];
        pressure[s] = g1 * (state[s][2] - 0.5 * state[s][1] * speed[s]);
        enthalpy[s] = (state[s][2] + pressure[s]) * inverse[s];
        root[s] = ROOT(state[s][0]);
    }
    T share = 1.0 / (root[0] + root[1]), density = root[0] * root[1];
    T u = (root[0] * speed[0] + root[1] * speed[1]) * share, h = (root[0] * enthalpy[0] + root[1] * enthalpy[1]) * share;
    T a2 = g1 * (h - 0.5 * u * u), a = ROOT(a2), by_a2 = 1.0 / a2, half_a = 0.5 * a * by_a2, half_a2 = 0.5 * by_a2;
    T d_density = right[0] - left[0], d_speed = speed[1] - speed[0], d_pressure = pressure[1] - pressure[0];
    T wave[3] = {u - a, u, u + a}, size[3], sign[3];
    for (int i = 0; i < 3; i++) {
        T plus = CHOOSE(wave[i] < 0.0, -wave[i], wave[i]);
        size[i] = CHOOSE(plus < width, (wave[i] * wave[i] + width * width) * (0.5 / width), plus);
        sign[i] = CHOOSE(plus < width, wave[i] * (1.0 / width), CHOOSE(wave[i] < 0.0, u - u - 1.0, u - u + 1.0));
    }
    T across = density * half_a * d_speed, strength[3] = {d_pressure * half_a2 - across,
                                                          d_density - d_pressure * by_a2,
                                                          d_pressure * half_a2 + across};
    T by_sound[3] = {(across - 2.0 * d_pressure * half_a2) * (2.0 * half_a), 4.0 * d_pressure * half_a2 * (2.0 * half_a),
                     -(across + 2.0 * d_pressure * half_a2) * (2.0 * half_a)};
    T sound_u = -g1 * u * half_a, sound_h = g1 * half_a, zero = u - u;
    T D[6][3];  // derivative of the three wave amplitudes by the six quantities
    D[0][0] = zero, D[0][1] = size[1], D[0][2] = zero;
    D[1][2] = size[2] * density * half_a, D[1][0] = -size[0] * density * half_a, D[1][1] = zero;
    D[2][0] = size[0] * half_a2, D[2][1] = -size[1] * by_a2, D[2][2] = size[2] * half_a2;
    D[3][2] = size[2] * d_speed * half_a, D[3][0] = -size[0] * d_speed * half_a, D[3][1] = zero;
    for (int i = 0; i < 3; i++) {
        double up = i - 1;
        D[4][i] = sign[i] * strength[i] * (1.0 + up * sound_u) + size[i] * by_sound[i] * sound_u;
        D[5][i] = sign[i] * strength[i] * up * sound_h + size[i] * by_sound[i] * sound_h;
    }
    T w[3] = {size[0] * strength[0], size[1] * strength[1], size[2] * strength[2]};
    T total = w[0] + w[1] + w[2], spread = w[2] - w[0], carried[3] = {h - u * a, 0.5 * u * u, h + u * a}, M[3][6];
    for (int q = 0; q < 6; q++) {
        M[0][q] = D[q][0] + D[q][1] + D[q][2];
        M[1][q] = D[q][0] * wave[0] + D[q][1] * wave[1] + D[q][2] * wave[2];
        M[2][q] = D[q][0] * carried[0] + D[q][1] * carried[1] + D[q][2] * carried[2];
    }
    M[1][4] += total + spread * sound_u;
    M[1][5] += spread * sound_h;
    M[2][4] += spread * (a + u * sound_u) + w[1] * u;
    M[2][5] += w[0] + w[2] + spread * u * sound_h;
    for (int s = 0; s < 2; s++) {
        double way = 2 * s - 1;
        T speed_by[2] = {-speed[s] * inverse[s], inverse[s]};
        T pressure_by[3] = {0.5 * g1 * speed[s] * speed[s], -g1 * speed[s], zero + g1};
        T enthalpy_by[3] = {(pressure_by[0] - enthalpy[s]) * inverse[s], pressure_by[1] * inverse[s], gamma * inverse[s]};
        T half_root = 0.5 * root[s] * inverse[s], part = root[s] * share;  // d root / d density = 1 / (2 root)
        T u_by[2] = {half_root * share * (speed[s] - u) + part * speed_by[0], part * speed_by[1]};
        T h_by[3] = {half_root * share * (enthalpy[s] - h) + part * enthalpy_by[0], part * enthalpy_by[1],
                     part * enthalpy_by[2]};
        T density_by = root[1 - s] * half_root, momentum = state[s][1];
        T flux[3][3] = {{zero, zero + 1.0, zero},
                        {momentum * speed_by[0] + pressure_by[0], 2.0 * speed[s] + pressure_by[1], pressure_by[2]},
                        {momentum * enthalpy_by[0], enthalpy[s] + momentum * enthalpy_by[1], momentum * enthalpy_by[2]}};
        for (int row = 0; row < 3; row++) {
            const T *m = M[row];
            T *out = J + 6 * row + 3 * s;
            out[0] = 0.5 * (flux[row][0] - way * (m[0] + m[1] * speed_by[0] + m[2] * pressure_by[0]) - m[3] * density_by -
                            m[4] * u_by[0] - m[5] * h_by[0]);
            out[1] = 0.5 * (flux[row][1] - way * (m[1] * speed_by[1] + m[2] * pressure_by[1]) - m[4] * u_by[1] -
                            m[5] * h_by[1]);
            out[2] = 0.5 * (flux[row][2] - way * m[2] * pressure_by[2] - m[5] * h_by[2]);
        }
    }
}
