"""Linear algebra, sums, transforms and orders, written as reversible functions.

What they compute is added to an argument, or changes it in place: an array is written, a number returned. `~f` undoes
either. All can be called in compiled functions, mapped and differentiated.
"""

from .bessel import bessel_j as bessel_j
from .cumulative import cumulative_max as cumulative_max
from .cumulative import cumulative_sum as cumulative_sum
from .fourier import fft as fft
from .norms import dot as dot
from .norms import norm as norm
from .norms import norm1 as norm1
from .norms import norm_max as norm_max
from .norms import squared_norm as squared_norm
from .qr import qr as qr
from .repeated import repeated as repeated
from .rotations import rotate as rotate
from .softmax import cross_entropy as cross_entropy
from .softmax import logsumexp as logsumexp
from .sorting import permute as permute
from .sorting import ranks as ranks
from .sorting import sort as sort
from .sparse import csc_matmat as csc_matmat
from .sparse import csc_matvec as csc_matvec
from .sparse import csr_matmat as csr_matmat
from .sparse import csr_matvec as csr_matvec
from .sparse import sparse_dot as sparse_dot
from .triangular import lower_matvec as lower_matvec
from .triangular import unit_lower_product as unit_lower_product
from .triangular import unit_upper_product as unit_upper_product
from .triangular import upper_matvec as upper_matvec
