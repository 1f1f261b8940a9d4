"""The task g: a function with the graph of the published machine-generated one (R^15 -> R^20, 105 operations).

The original is finite nowhere; this copy keeps which value depends on which and by what class of partial (sums and
differences where the original has them), with operations that are finite everywhere.
"""

import numpy as np


def random_scalar(x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14):  # noqa: PLR0915
    v1 = np.sin(x3)
    v2 = np.tanh(x14)
    v3 = x13 * v1
    v4 = np.arctan2(v1, x5)
    v5 = x9 - x8
    v6 = np.cos(x10)
    v7 = v5 * x0
    v8 = v6 - v2
    v9 = np.arctan2(v8, x11)
    v10 = v5 + x12
    v11 = np.arctan(x2)
    v12 = v5 + v10
    v13 = np.sin(v1)
    v14 = np.tanh(x3)
    v15 = x2 * v7
    v16 = np.arctan2(v8, v10)
    v17 = v13 - v9
    v18 = np.cos(v17)
    v19 = x7 * v11
    v20 = np.arctan(x13)
    v21 = v11 + v3
    v22 = np.arctan2(x7, x6)
    v23 = v9 - v18
    v24 = v13 - x6
    v25 = v19 * x4
    v26 = np.sin(x0)
    v27 = v24 - v3
    v28 = np.arctan2(v25, x7)
    v29 = v24 - x8
    v30 = np.tanh(v27)
    v31 = x8 * v14
    v32 = np.arctan2(v21, v20)
    v33 = v31 * v28
    v34 = np.arctan2(v29, v24)
    v35 = v28 * x13
    v36 = np.arctan2(x4, v18)
    v37 = v25 * x1
    v38 = np.arctan2(v9, v37)
    v39 = x12 + v35
    v40 = x3 * v32
    v41 = v8 - v16
    v42 = np.cos(v32)
    v43 = np.arctan(v38)
    v44 = np.arctan2(x2, v10)
    v45 = v36 - v2
    v46 = np.sin(v22)
    v47 = x8 * v16
    v48 = np.arctan2(v26, v30)
    v49 = np.tanh(v20)
    v50 = v45 - v34
    v51 = x13 * v23
    v52 = np.arctan2(v21, v10)
    v53 = v52 - v27
    v54 = np.cos(v49)
    v55 = v7 * v42
    v56 = np.arctan2(v34, v53)
    v57 = v4 * v56
    v58 = np.arctan2(v25, v40)
    v59 = v23 * v17
    v60 = 0.5 * v45
    v61 = np.arctan2(v50, v48)
    v62 = v37 * v9
    v63 = v43 - v44
    v64 = np.arctan2(v57, v25)
    v65 = v58 * v30
    v66 = np.arctan(x5)
    v67 = np.arctan2(v12, v46)
    v68 = v23 * x9
    v69 = np.arctan2(x4, x12)
    v70 = v41 * v40
    v71 = np.arctan2(v45, v47)
    v72 = np.sin(x14)
    v73 = v70 * v67
    v74 = np.tanh(v50)
    v75 = v54 - v63
    v76 = np.arctan2(v21, v49)
    v77 = v51 * v61
    v78 = np.arctan2(v71, v39)
    v79 = np.cos(v33)
    v80 = v76 * v78
    v81 = v79 + 1.0
    v82 = np.arctan2(v75, v60)
    v83 = np.arctan(v30)
    v84 = v59 * v29
    v85 = np.arctan2(v84, v12)
    v86 = v74 + v13
    v87 = v64 * v68
    v88 = v4 - v75
    v89 = v66 + v74
    v90 = np.arctan2(v86, v87)
    v91 = v59 * v26
    v92 = np.arctan2(v52, v46)
    v93 = v86 * x1
    v94 = np.arctan2(v82, v85)
    v95 = -v84
    v96 = v15 * v73
    v97 = np.arctan2(v89, v92)
    v98 = v6 - v54
    v99 = v90 * v28
    v100 = v91 - v65
    v101 = np.arctan2(v42, v99)
    v102 = v62 - v92
    v103 = np.sin(v71)
    v104 = v71 * v32
    v105 = v89 + v22
    return (v105, v55, v69, v72, v77, v80, v81, v83, v88, v93, v94, v95, v96, v97, v98, v100, v101, v102, v103, v104)
