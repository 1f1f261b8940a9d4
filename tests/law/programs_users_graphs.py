"""Graphs and grids in arrays, and geometry."""

# Written as users write, not as the linter would.
# ruff: noqa: PLR1730

import numpy as np

from .corpus import law

R = np.random.default_rng(6)
PTR = np.array([0, 2, 4, 5, 6, 6, 6])
ADJ = np.array([1, 2, 0, 3, 3, 4])


@law((PTR, ADJ, 0), (PTR, ADJ, 5), (np.array([0, 0]), np.array([], int), 0))
def bfs(ptr, adj, source):
    n = len(ptr) - 1
    dist = np.full(n, -1)
    queue = np.empty(n, dtype=np.int64)
    dist[source] = 0
    queue[0] = source
    head, tail = 0, 1
    while head < tail:
        u = queue[head]
        head += 1
        for k in range(ptr[u], ptr[u + 1]):
            v = adj[k]
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                queue[tail] = v
                tail += 1
    return dist, tail


@law(
    (np.array([[0, 4, 0, 1], [4, 0, 2, 5], [0, 2, 0, 8], [1, 5, 8, 0.0]]), 0),
    (np.zeros((1, 1)), 0),
    (np.zeros((3, 3)), 1),
)
def dijkstra_dense(w, source):
    n = w.shape[0]
    dist = np.full(n, np.inf)
    done = np.zeros(n, dtype=bool)
    parent = -np.ones(n, dtype=int)
    dist[source] = 0
    for _ in range(n):
        u = -1
        for i in range(n):
            if not done[i] and (u == -1 or dist[i] < dist[u]):
                u = i
        if u == -1 or np.isinf(dist[u]):
            break
        done[u] = True
        for v in range(n):
            if w[u, v] > 0 and dist[u] + w[u, v] < dist[v]:
                dist[v] = dist[u] + w[u, v]
                parent[v] = u
    return dist, parent


@law((PTR, ADJ, R.random(6), 0), (PTR, ADJ, R.random(6), 3))
def dijkstra_heap(ptr, adj, weight, source):
    n = len(ptr) - 1
    m = len(adj)
    dist = np.full(n, np.inf)
    heap_key = np.empty(m + 1)
    heap_node = np.empty(m + 1, dtype=np.int64)
    dist[source] = 0.0
    heap_key[0], heap_node[0] = 0.0, source
    size = 1
    while size > 0:
        d, u = heap_key[0], heap_node[0]
        size -= 1
        heap_key[0], heap_node[0] = heap_key[size], heap_node[size]
        i = 0
        while True:
            child = 2 * i + 1
            if child >= size:
                break
            if child + 1 < size and heap_key[child + 1] < heap_key[child]:
                child += 1
            if heap_key[i] <= heap_key[child]:
                break
            heap_key[i], heap_key[child] = heap_key[child], heap_key[i]
            heap_node[i], heap_node[child] = heap_node[child], heap_node[i]
            i = child
        if d > dist[u]:
            continue
        for k in range(ptr[u], ptr[u + 1]):
            v = adj[k]
            new = d + weight[k]
            if new < dist[v]:
                dist[v] = new
                i = size
                size += 1
                heap_key[i], heap_node[i] = new, v
                while i > 0 and heap_key[(i - 1) // 2] > heap_key[i]:
                    p = (i - 1) // 2
                    heap_key[i], heap_key[p] = heap_key[p], heap_key[i]
                    heap_node[i], heap_node[p] = heap_node[p], heap_node[i]
                    i = p
    return dist


@law((R.integers(1, 9, (5, 5)).astype(float),), (np.zeros((1, 1)),), (np.zeros((0, 0)),))
def floyd_warshall(w):
    d = w.copy()
    n = len(d)
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d


@law((R.integers(1, 9, (5, 5)).astype(float),))
def floyd_warshall_vectorised(w):
    d = w.copy()
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def find(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@law((6, np.array([[0, 1], [2, 3], [1, 3], [4, 4]])), (2, np.zeros((0, 2), int)))
def union_find(n, edges):
    parent = np.arange(n)
    size = np.ones(n, dtype=np.int64)
    components = n
    for a, b in edges:
        ra, rb = find(parent, a), find(parent, b)
        if ra == rb:
            continue
        if size[ra] < size[rb]:
            ra, rb = rb, ra
        parent[rb] = ra
        size[ra] += size[rb]
        components -= 1
    for i in range(n):
        parent[i] = find(parent, i)
    return components, parent


@law(
    (np.array([0, 0, 1, 2, 3]), np.array([1, 2, 2, 3, 0]), np.array([3.0, 1.0, 0.5, 2.0, 9.0]), 4),
)
def kruskal(u, v, w, n):
    parent = np.arange(n)
    total = 0.0
    chosen = np.zeros(len(w), dtype=bool)
    for e in np.argsort(w):
        a, b = find(parent, u[e]), find(parent, v[e])
        if a != b:
            parent[a] = b
            total += w[e]
            chosen[e] = True
    return total, chosen


@law(
    (PTR, ADJ),
)
def topological_levels(ptr, adj):
    n = len(ptr) - 1
    indegree = np.bincount(adj, minlength=n)
    level = np.zeros(n, dtype=np.int64)
    stack = np.zeros(n, dtype=np.int64)
    top = 0
    for i in range(n):
        if indegree[i] == 0:
            stack[top] = i
            top += 1
    visited = 0
    while top:
        top -= 1
        u = stack[top]
        visited += 1
        for k in range(ptr[u], ptr[u + 1]):
            v = adj[k]
            level[v] = max(level[v], level[u] + 1)
            indegree[v] -= 1
            if not indegree[v]:
                stack[top] = v
                top += 1
    return level, visited == n


@law((R.integers(0, 2, (6, 7)), 4), (np.ones((1, 1), int), 1), (R.integers(0, 2, (3, 3)).astype(bool), 2))
def game_of_life(board, generations):
    for _ in range(generations):
        padded = np.pad(board.astype(np.int64), 1)
        neighbours = np.zeros(board.shape, dtype=np.int64)
        for di in range(3):
            for dj in range(3):
                if di != 1 or dj != 1:
                    neighbours += padded[di : di + board.shape[0], dj : dj + board.shape[1]]
        board = ((neighbours == 3) | ((board == 1) & (neighbours == 2))).astype(board.dtype)
    return board


@law((R.integers(0, 2, (6, 7)), 3), (np.ones((2, 2), int), 2))
def game_of_life_loops(grid, steps):
    rows, cols = grid.shape
    current = grid.copy()
    following = np.zeros_like(grid)
    for _ in range(steps):
        for r in range(rows):
            for c in range(cols):
                alive = 0
                for dr in (-1, 0, 1):
                    for dc in (-1, 0, 1):
                        if dr == 0 and dc == 0:
                            continue
                        alive += current[(r + dr) % rows, (c + dc) % cols]
                following[r, c] = 1 if alive == 3 or (alive == 2 and current[r, c]) else 0
        current, following = following, current
    return current


@law((R.random((6, 6)) < 0.6,), (np.zeros((2, 2), bool),), (np.ones((1, 1), bool),))
def percolates(open_sites):
    n, m = open_sites.shape
    full = np.zeros((n, m), dtype=bool)
    stack = np.zeros((n * m * 4 + m, 2), dtype=np.int32)
    top = 0
    for j in range(m):
        if open_sites[0, j]:
            stack[top] = (0, j)
            top += 1
    while top > 0:
        top -= 1
        i, j = stack[top]
        if i < 0 or j < 0 or i >= n or j >= m or full[i, j] or not open_sites[i, j]:
            continue
        full[i, j] = True
        for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            stack[top, 0] = i + di
            stack[top, 1] = j + dj
            top += 1
    return full[-1].any(), full.sum()


@law((np.array([[0, 9, 0], [3, 4, 5], [0, 0, 8]]),), (np.array([[100]]),), (np.zeros((2, 2), int),))
def sandpile(grid):
    g = grid.copy()
    topples = 0
    unstable = True
    while unstable:
        unstable = False
        for i in range(g.shape[0]):
            for j in range(g.shape[1]):
                if g[i, j] >= 4:
                    unstable = True
                    k = g[i, j] // 4
                    g[i, j] -= 4 * k
                    topples += k
                    if i > 0:
                        g[i - 1, j] += k
                    if i < g.shape[0] - 1:
                        g[i + 1, j] += k
                    if j > 0:
                        g[i, j - 1] += k
                    if j < g.shape[1] - 1:
                        g[i, j + 1] += k
    return g, int(topples)


@law((5,), (4,), (1,), (3,))
def n_queens(n):
    cols = np.zeros(n, dtype=np.int64)
    row, count = 0, 0
    cols[0] = -1
    while row >= 0:
        cols[row] += 1
        while cols[row] < n:
            ok = True
            for r in range(row):
                if cols[r] == cols[row] or abs(cols[r] - cols[row]) == row - r:
                    ok = False
                    break
            if ok:
                break
            cols[row] += 1
        if cols[row] >= n:
            row -= 1
        elif row == n - 1:
            count += 1
        else:
            row += 1
            cols[row] = -1
    return count


@law((R.random((8, 2)),), (R.random((3, 2)),))
def convex_hull(points):
    order = np.lexsort((points[:, 1], points[:, 0]))
    n = len(points)
    hull = np.zeros(2 * n, dtype=np.int64)
    k = 0
    for i in range(n):
        while k >= 2 and cross(points[hull[k - 2]], points[hull[k - 1]], points[order[i]]) <= 0:
            k -= 1
        hull[k] = order[i]
        k += 1
    lower = k + 1
    for i in range(n - 2, -1, -1):
        while k >= lower and cross(points[hull[k - 2]], points[hull[k - 1]], points[order[i]]) <= 0:
            k -= 1
        hull[k] = order[i]
        k += 1
    area = 0.0
    for i in range(k - 1):
        a, b = points[hull[i]], points[hull[i + 1]]
        area += 0.5 * (a[0] * b[1] - a[1] * b[0])
    return hull, k - 1, area


def cross(o, a, b):
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])


@law(
    (np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]]), np.array([[1.0, 1.0], [3.0, 1.0]])),
)
def point_in_polygon(polygon, points):
    inside = np.zeros(len(points), dtype=bool)
    n = len(polygon)
    for k, (x, y) in enumerate(points):
        j = n - 1
        odd = False
        for i in range(n):
            xi, yi = polygon[i]
            xj, yj = polygon[j]
            if (yi > y) != (yj > y) and x < (xj - xi) * (y - yi) / (yj - yi) + xi:
                odd = not odd
            j = i
        inside[k] = odd
    return inside
