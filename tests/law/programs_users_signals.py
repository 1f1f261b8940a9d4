"""Signals and images: transforms, filters, histograms, in float64 and float32."""

import math

import numpy as np

from .corpus import law

R = np.random.default_rng(7)
X8, X4, X1 = R.random(8), R.random(4), R.random(1)
IMG = R.random((6, 7))
IMG8 = R.integers(0, 8, (5, 6))


@law((X8, np.zeros(8)), (X1, np.zeros(1)), (X8.astype(np.float32), np.zeros(8, np.float32)))
def fft_radix2(re, im):
    re, im = re.copy(), im.copy()
    n = len(re)
    j = 0
    for i in range(1, n):
        bit = n >> 1
        while j & bit:
            j ^= bit
            bit >>= 1
        j |= bit
        if i < j:
            re[i], re[j] = re[j], re[i]
            im[i], im[j] = im[j], im[i]
    length = 2
    while length <= n:
        angle = -2 * math.pi / length
        wr, wi = math.cos(angle), math.sin(angle)
        for i in range(0, n, length):
            cr, ci = 1.0, 0.0
            for k in range(i, i + length // 2):
                h = k + length // 2
                tr = re[h] * cr - im[h] * ci
                ti = re[h] * ci + im[h] * cr
                re[h], im[h] = re[k] - tr, im[k] - ti
                re[k] += tr
                im[k] += ti
                cr, ci = cr * wr - ci * wi, cr * wi + ci * wr
        length <<= 1
    return re, im


@law((X8,), (X1,), (X8[:0],))
def dft_matrix(x):
    n = len(x)
    k = np.arange(n)
    angles = 2 * np.pi * np.outer(k, k) / max(n, 1)
    re, im = np.cos(angles) @ x, -np.sin(angles) @ x
    return np.sqrt(re**2 + im**2), np.arctan2(im, re)


@law((X8, 3, 0.3), (X8, 1, 0.3))
def goertzel_bins(x, count, f0):
    power = np.zeros(count)
    for b in range(count):
        coeff = 2 * math.cos(2 * math.pi * f0 * (b + 1) / 2)
        s1 = s2 = 0.0
        for v in x:
            s1, s2 = v + coeff * s1 - s2, s1
        power[b] = s1 * s1 + s2 * s2 - coeff * s1 * s2
    return power


@law((X8, np.array([0.2, 0.5, 0.2])), (X8, np.array([1.0])), (X8.astype(np.float32), np.array([0.2, 0.5], np.float32)))
def fir_filter(x, taps):
    n, m = len(x), len(taps)
    y = np.zeros_like(x)
    for i in range(n):
        acc = x.dtype.type(0)
        for k in range(m):
            if i - k >= 0:
                acc += taps[k] * x[i - k]
        y[i] = acc
    return y


@law(
    (X8, np.array([0.1, 0.2, 0.1]), np.array([1.0, -0.5, 0.2])),
    (X1, np.array([0.1, 0.2, 0.1]), np.array([1.0, -0.5, 0.2])),
)
def biquad(x, b, a):
    z1 = z2 = 0.0
    out = np.empty(x.size)
    for i, v in enumerate(x):
        y = b[0] * v + z1
        z1 = b[1] * v - a[1] * y + z2
        z2 = b[2] * v - a[2] * y
        out[i] = y
    return out


@law((X8, np.array([1.0, 2.0, 3.0])), (X1, X1))
def convolve_modes(x, h):
    full = np.convolve(x, h)
    by_hand = np.zeros(len(x) + len(h) - 1)
    for i in range(len(x)):
        by_hand[i : i + len(h)] += x[i] * h
    return full, by_hand, np.allclose(full, by_hand)


@law((X8, 2), (X8, 0), (X8, 5))
def median_filter(x, half):
    n = len(x)
    out = np.empty(n)
    for i in range(n):
        lo, hi = max(0, i - half), min(n, i + half + 1)
        window = np.sort(x[lo:hi])
        m = hi - lo
        out[i] = window[m // 2] if m % 2 else 0.5 * (window[m // 2 - 1] + window[m // 2])
    return out


@law((IMG, 1), (IMG, 2), (IMG[:1, :1], 1))
def median_filter_2d(img, r):
    h, w = img.shape
    padded = np.pad(img, r, mode="edge")
    out = np.zeros_like(img)
    for i in range(h):
        for j in range(w):
            out[i, j] = np.median(padded[i : i + 2 * r + 1, j : j + 2 * r + 1])
    return out


@law((IMG8, 8), (np.zeros((1, 1), int), 8))
def equalise_histogram(img, levels):
    hist = np.zeros(levels, dtype=np.int64)
    for row in img:
        for v in row:
            hist[v] += 1
    cdf = hist.cumsum()
    cdf_min = cdf[cdf > 0].min() if cdf[-1] > 0 else 0
    lut = np.round((cdf - cdf_min) / max(img.size - cdf_min, 1) * (levels - 1)).astype(np.int64)
    return lut[img], hist


@law(
    (IMG8, 8),
)
def equalise_histogram_loops(img, levels):
    hist = np.bincount(img.ravel(), minlength=levels)
    lut = np.zeros(levels, dtype=np.int32)
    running = 0
    for k in range(levels):
        running += hist[k]
        lut[k] = (levels - 1) * running // img.size
    out = np.empty(img.shape, dtype=np.int32)
    for i in range(img.shape[0]):
        for j in range(img.shape[1]):
            out[i, j] = lut[img[i, j]]
    return out


@law((IMG,), (IMG[:3, :3],), (IMG[:2],))
def sobel(img):
    gx = np.zeros_like(img)
    gy = np.zeros_like(img)
    kx = np.array([[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]])
    ky = kx.T
    for i in range(1, img.shape[0] - 1):
        for j in range(1, img.shape[1] - 1):
            for a in range(3):
                for b in range(3):
                    gx[i, j] += kx[a, b] * img[i + a - 1, j + b - 1]
                    gy[i, j] += ky[a, b] * img[i + a - 1, j + b - 1]
    magnitude = np.hypot(gx, gy)
    direction = np.degrees(np.arctan2(gy, gx)) % 180
    return magnitude, direction


@law((IMG, 1.0), (IMG, 0.5))
def gaussian_blur_separable(img, sigma):
    radius = 2
    x = np.arange(-radius, radius + 1)
    k = np.exp(-0.5 * (x / sigma) ** 2)
    k /= k.sum()
    h, w = img.shape
    tmp = np.zeros((h, w))
    out = np.zeros((h, w))
    for i in range(h):
        for j in range(w):
            for d in range(-radius, radius + 1):
                jj = min(max(j + d, 0), w - 1)
                tmp[i, j] += k[d + radius] * img[i, jj]
    for i in range(h):
        for j in range(w):
            for d in range(-radius, radius + 1):
                ii = i + d
                if ii < 0:
                    ii = -ii
                elif ii >= h:
                    ii = 2 * h - 2 - ii
                out[i, j] += k[d + radius] * tmp[ii, j]
    return out


@law((IMG, 0.5, 0.1), (IMG[:1], 0.5, 0.1))
def bilateral(img, sigma_s, sigma_r):
    out = np.empty_like(img)
    h, w = img.shape
    for y in range(h):
        for x in range(w):
            total, norm = 0.0, 0.0
            for yy in range(max(0, y - 1), min(h, y + 2)):
                for xx in range(max(0, x - 1), min(w, x + 2)):
                    d2 = (yy - y) ** 2 + (xx - x) ** 2
                    weight = math.exp(-d2 / (2 * sigma_s**2) - (img[yy, xx] - img[y, x]) ** 2 / (2 * sigma_r**2))
                    total += weight * img[yy, xx]
                    norm += weight
            out[y, x] = total / norm
    return out


@law((IMG, 3, 4), (IMG, 1, 1), (IMG[:2, :2], 5, 5))
def resize_bilinear(img, h2, w2):
    h, w = img.shape
    out = np.zeros((h2, w2), dtype=img.dtype)
    sy = (h - 1) / max(h2 - 1, 1)
    sx = (w - 1) / max(w2 - 1, 1)
    for i in range(h2):
        for j in range(w2):
            y, x = i * sy, j * sx
            y0, x0 = int(y), int(x)
            y1, x1 = min(y0 + 1, h - 1), min(x0 + 1, w - 1)
            fy, fx = y - y0, x - x0
            out[i, j] = (img[y0, x0] * (1 - fx) + img[y0, x1] * fx) * (1 - fy) + (
                img[y1, x0] * (1 - fx) + img[y1, x1] * fx
            ) * fy
    return out


@law((IMG > 0.5,), (np.ones((2, 2), bool),), (np.zeros((1, 3), bool),))
def connected_components(mask):
    h, w = mask.shape
    labels = np.zeros((h, w), dtype=np.int64)
    parent = np.arange(h * w + 1)
    current = 0
    for i in range(h):
        for j in range(w):
            if not mask[i, j]:
                continue
            up = labels[i - 1, j] if i > 0 else 0
            left = labels[i, j - 1] if j > 0 else 0
            if up == 0 and left == 0:
                current += 1
                labels[i, j] = current
            elif up and left:
                a, b = up, left
                while parent[a] != a:
                    a = parent[a]
                while parent[b] != b:
                    b = parent[b]
                parent[max(a, b)] = min(a, b)
                labels[i, j] = min(a, b)
            else:
                labels[i, j] = up or left
    for i in range(h):
        for j in range(w):
            k = labels[i, j]
            while parent[k] != k:
                k = parent[k]
            labels[i, j] = k
    return labels, current


@law((IMG > 0.5,), (np.ones((1, 1), bool),))
def morphology(mask):
    h, w = mask.shape
    eroded = np.zeros_like(mask)
    dilated = np.zeros_like(mask)
    for i in range(h):
        for j in range(w):
            patch = mask[max(i - 1, 0) : i + 2, max(j - 1, 0) : j + 2]
            eroded[i, j] = np.all(patch)
            dilated[i, j] = np.any(patch)
    return eroded, dilated, dilated & ~eroded


@law(
    (IMG, 10, 5),
)
def hough_lines(img, n_theta, n_rho):
    thetas = np.linspace(0, np.pi, n_theta, endpoint=False)
    acc = np.zeros((n_rho, n_theta), dtype=np.int64)
    diag = math.hypot(*img.shape)
    for y in range(img.shape[0]):
        for x in range(img.shape[1]):
            if img[y, x] > 0.7:
                for t in range(n_theta):
                    rho = x * np.cos(thetas[t]) + y * np.sin(thetas[t])
                    k = int((rho + diag) / (2 * diag) * n_rho)
                    acc[k, t] += 1
    flat = np.argmax(acc)
    return acc, flat // n_theta, flat % n_theta


@law((X8, 2), (X8, 3), (X8, 0))
def haar_wavelet(x, levels):
    c = x.copy()
    n = len(c)
    for _ in range(levels):
        half = n // 2
        a = (c[0:n:2] + c[1:n:2]) / np.sqrt(2)
        d = (c[0:n:2] - c[1:n:2]) / np.sqrt(2)
        c[:half] = a
        c[half:n] = d
        n = half
    return c


@law((R.random((4, 4)),), (R.random((2, 2)),))
def dct_2d(block):
    n = block.shape[0]
    C = np.zeros((n, n))
    for k in range(n):
        for i in range(n):
            C[k, i] = math.sqrt((1 if k == 0 else 2) / n) * math.cos(math.pi * (2 * i + 1) * k / (2 * n))
    coefficients = C @ block @ C.T
    quantised = np.round(coefficients * 10).astype(np.int32)
    order = np.zeros(n * n, dtype=np.int32)
    k = 0
    for s in range(2 * n - 1):
        for i in range(n):
            j = s - i if s % 2 else i
            ii = i if s % 2 else s - i
            if 0 <= j < n and 0 <= ii < n:
                order[k] = quantised[ii, j]
                k += 1
    return quantised, order


@law((X8, 4, 2), (X8, 8, 1))
def spectrogram(x, window, hop):
    frames = 1 + (len(x) - window) // hop
    w = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)
    out = np.zeros((frames, window // 2 + 1))
    for f in range(frames):
        seg = x[f * hop : f * hop + window] * w
        for k in range(window // 2 + 1):
            angle = 2 * np.pi * k * np.arange(window) / window
            out[f, k] = (seg @ np.cos(angle)) ** 2 + (seg @ np.sin(angle)) ** 2
    return 10 * np.log10(out + 1e-12)


@law((X8, 2), (X8, 1))
def autocorrelation(x, lags):
    centred = x - x.mean()
    return np.array([centred[: len(x) - k] @ centred[k:] for k in range(3)]) / np.sum(centred**2), lags


@law((X8, 0.1, 3), (X1, 0.1, 1))
def lms_filter(x, mu, taps):
    w = np.zeros(taps)
    buf = np.zeros(taps)
    err = np.zeros(len(x))
    for n in range(len(x)):
        buf[1:] = buf[:-1]
        buf[0] = x[n]
        err[n] = math.sin(n) - w @ buf
        w += 2 * mu * err[n] * buf
    return w, err


@law((X8,), (X1,), (X8.astype(np.float32),))
def savgol(x):
    coeff = np.array([-3, 12, 17, 12, -3]) / 35
    padded = np.pad(x, 2, mode="reflect") if len(x) > 2 else np.pad(x, 2)
    out = np.empty_like(x)
    for i in range(len(x)):
        out[i] = np.sum(padded[i : i + 5] * coeff)
    return out


@law((X8.astype(np.float32),), (X8,), (X8.astype(np.float32)[:1],))
def normalise(x):
    lo, hi = x.min(), x.max()
    if hi == lo:
        return np.zeros_like(x)
    y = (x - lo) / (hi - lo)
    y[y < 0.5] *= 0.5
    y[-1] = 1
    return y * 255


@law((IMG.astype(np.float32), np.float32(0.25), 3), (IMG, 0.25, 1))
def diffuse_float32(u, kappa, steps):
    u = u.copy()
    for _ in range(steps):
        new = u.copy()
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                gradient = u[i + 1, j] - u[i - 1, j]
                g = np.exp(-((gradient / kappa) ** 2))
                new[i, j] = u[i, j] + g * (
                    u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] - 4 * u[i, j]
                ) * u.dtype.type(0.2)
        u = new
    return u


@law((X8, np.array([0, 2, 5])), (X8, np.array([0])))
def segment_statistics(x, starts):
    k = len(starts)
    stats = np.zeros((k, 3))
    for s in range(k):
        stop = starts[s + 1] if s + 1 < k else len(x)
        seg = x[starts[s] : stop]
        stats[s] = seg.min(), seg.max(), seg.mean()
    return stats, stats.sum(axis=1)


@law((X8, 0.5), (X8, 2.0), (X8[:0], 0.5))
def schmitt_peaks(x, threshold):
    peaks = np.zeros(len(x), dtype=bool)
    armed = True
    last = -1
    for i, v in enumerate(x):
        if armed and v > threshold:
            peaks[i] = True
            last = i
            armed = False
        elif not armed and v < threshold * 0.8:
            armed = True
    return peaks, last, int(np.count_nonzero(peaks))


@law((np.array([0.0, 0.4, -0.2, 0.9]), 4), (np.array([]), 8))
def delta_encode(x, bits):
    levels = 2 ** (bits - 1) - 1
    q = np.clip(np.rint(x * levels), -levels, levels).astype(np.int32)
    deltas = np.empty_like(q)
    previous = np.int32(0)
    for i in range(len(q)):
        deltas[i] = q[i] - previous
        previous = q[i]
    back = np.cumsum(deltas) / levels
    return deltas, back
