"""Vectors that multilingual-e5-small must reproduce on a device before it is used there.

Made by tests/browser/make_known_vectors.py on CPython; see :mod:`cairn.browser.selftest`.
"""

from __future__ import annotations

KNOWN: dict[str, list[tuple[str, str]]] = {
    "multilingual-e5-small": [
        (
            "query: How do I make river water safe to drink?",
            "PNbJzjbrFCX+Ni7mN+j6UlPV6LosA94wMynt81Dhq8FOlEMT4ug13/I2NSsiGMAnwczCKxEoN9mx8sJNV9cg9Dp1"
            "QRO07bM4870AIynBNdaeydwp1ktax1q0MQKgqMvlskoc5Er6JLnjKVjMHdi5GzYqxuW/AB/MOqvc4JzPIR/k2BdA"
            "JD05QJHiGu/eS9Unaxlm9EkmNe5ZJjTMwLgnGM20nwK85zVypuLEJtklGT76Ylki1+oOk9TSxU88vA07p9KjQ7Y9"
            "Kzfj8N9IPhXQLLhZLp2ZMR/d9gnBGy3tLoXGDxCp8Eubz8/GzdQACl62vcwxgV4E6zvqIhPR/+LbMRZNyxsQ43oY"
            "Ohae3BHVpwU7zfAG9x7st2lGJSjwCfcS+u/p6CzpUTXjQBIK7p7ZRuQJ+R4YQFVD4rX/KvUVn6zF2QmxKf/Qsh8R"
            "GQDBH9XkwTK5liPq1DHvpCL97w4moxgzyEX0sTtgpQo7OBh7+g8C8kNPzBcezrJIrukZOzte",
        ),
        (
            "query: ¿Cómo se trata una quemadura?",
            "U9GSrjjYGyBADTQcOtTcK0LO5/Ah+MQzNjwKK0S/68JJ0F0n5rZawO8SE1ooL+lA6iTbLRIyOrC/l8lAEN/5AyNN"
            "GkD8CuFB1eHw9xCmNdzgE+sM5kMhoicQaS3svsea/UpKuVzsJ6vgFCO8KbDkKituu/D6yUe+P/6yo6u/Ijv6NTs1"
            "QCIFTsUbF8nSMbkPQiFMEE/wE+NVQ/vhgdYSELnT0eiytS8YppzcSBoS5RvaO0Yy4BUAwrPD1A4vvxot6OCiLr86"
            "QP7k6CgISCT2LsguToK7acwBDBrLRhL1IJP+/iXO3ALI99jj7rrxJf6z2LEfsCPZ2ELVBE6f9s/FPwY8zi0SKFJX"
            "HyKuD7YS4iMW9+LPLSv6zSgYTigU0OkjyOD+zj3qIzEPKhAa0LfoIbgUDhn7/kZEzuEc+edit83JrcKxKB7Kr00L"
            "FsqpNLTRExQHsSkXzkEB5CDGyCoUkhwJzOjs1TYzwdBRElXt8d4fwyxE1CAYDbtN+MlLMD04",
        ),
        (
            "query: comment arrêter un saignement",
            "G+PgrSrXDxkgHScxNQjqFiy7+b8N7swKMSzmOxnHw7QRuB8f8r83zyINGl0eFKIK2eXPM/5FDpHl3cw0QusRMhZS"
            "SDDd49YtFvz0DRTANPC438UmwSVAwA8KPCzU3P3Ix0Am7BjjLL/zUwvnA8a+UhIPxvfa6Ru1Vdm9vubgDRAKDhUW"
            "FTknQJ39/gnrQtsoPzlt5FrxN9t3FDbmxc4ANu6V2+Hb2S49urzsM9VB7kbeWEAY+Ojfxvrm2Aw3xwgZ1szaEt8f"
            "QkAjCy45M+vgIdM/K7iyStHyHQ3VI0zaRq/d8hq1rQjh4snE8szsPh6+yeggljLtyzjYCBXo3wruajkrwBYf+0IT"
            "OBi+B+Pk3v8e7N3J90qm3yRONycY5e0D5PAWxTvwMv/7VgAK8LciS6c24Qw7OCw09cECKwYgycS92fndLSnMvy8P"
            "CdbCKr/UzR7W1Dkb6Unhr0PXxB4tr/ns+QrR2SAzoe1UIzYq+uf5zTERuBIKBIEsydtJTiEU",
        ),
        (
            "query: 地震时应该怎么办",
            "V/bDsE3TFfhCACsNPhLZITXNANQhBdw1NUrCPirJ1s9j1FUT+N0/yvogL0wPIrsB6+74Hy82F731rrBNLQYWDSNG"
            "KjHv3stLHOUAFBX9EdS51soM+iQs9Cr9QiTS3Qva4yFh4l3n/azzRTDhHsKc/zs9x77r0AzP8sDn3se1IRfeNjsU"
            "CP8GUOYH7vruWOceKi1H8Tve/udPGCHZ3solPt/RxPinwCsus9vxEesSBxHqCVw5AOvx2sr/7CIrBPkh4N3AJ9M/"
            "OBMCzxseLuHmDewnLZzQO+z84TOwBwb9CrvbLS3hzh/Y2dau4IERJiyo3rwrzzPC4hHNJf3N28ndJ0NY1CYdEWMn"
            "Lviu7eHnrBEqvs7SRmHXxRAuGz0c1/se8vr15DcOOykDP9gH2uEJD7dMAekSQVlC8cTxJAIzrdXE3/63PSi6ykYS"
            "EdGwNsbX0DbmwBhC10jRpf3lyhjyqx8C0ArZylMpqfkoGfwC3wAc1UUQ8gQO4rw48d4vVxEx",
        ),
        (
            "passage: Bring the water to a rolling boil for one minute; above 2,000 metres, for three.",
            "9fDtzFDizUQ2HyDWKwnPUzPn2M8X78wYMjXiNiCBDZ1hxDXt5OQvqAksOBwsPLgO4cTHLQEUOc7axblMR/Ua+mF4"
            "MiHX3LY4zN4M/S/EHuav8ugc4DIyw07fQTmQ4cHf4R8zwkHXBLfVAjG+P8ezEzYW5gHKBvvrD9vT4rm49xXUBzcm"
            "OSsqWLTXJtfhOeQmTU9Z/DsKMM8yJi6lnagnT6vJyvTk7BpMxAfxCwMkAyDgR10l69njjdoHDhr23RUy+dqcJ941"
            "LVAC/B899RrWJuUuQ8fIJ/H89DLPFCb0NrO0Kz2r4TrR5MHB6O4VQiuz4LdbvA/t9BXzD/fM8szTOi895RcXDl0V"
            "PRjO3vLNry5Px7nYSCjY4iwVLjr5CfY5t9jK1zHhUyYEUQMYytY1QcsgBioNLkQKy7oaVe4qq6bivf3TGirEyBb9"
            "JenVL88Lyz7KxSs7/Dm7szjvBO4yqQYbyDPfvSYhxP48D0o1+AAwvx0dzyEiwMoo0MYpPysW",
        ),
        (
            "passage: كيف تبني مأوى من الأغصان والأوراق قبل حلول الليل",
            "D+TUtVzD3hNCNVf0VNjMFEvizNoXFxQ3JjQBLzaqy9IKkk8T37woxtkLPTAdK5wIm++qOfw8GsTMrthETQQd7WtR"
            "Izvz5qAOEs8S+SfVXAy+3bcSxDkNs0zPQC3Y/M/BviI36CThG5ybRiXZQ7DsGgom2svmzD6/O+vMzM/fQQnr+SZN"
            "FDlCSL8FCPDxMdUoNTZ20XDUSAw9MzjkuL4vKOqBveWg0RdTrtPgKRAjBEnNU1Y02M35v7jS1BYQ2vUiqbjbRNBL"
            "OyELyjI4Y9vuN84tDdS9YegVD0+4FCzXJ5O7OTHtuB3c3Nq7AdbOLyqd/8kDvz7r4iLdNVzWvcbWR0dZ0Q8p0388"
            "DCG5+cXxxQtH18vWNkIU6ysuCDkq29kq7+XSySC6Mx/0TMwe2rQdF5Y/9CcXPlRIywAWJQkQ1rvB6+S8Mhbp3S8b"
            "E9reGMbwxkrZsz8Q1ivjxQvk7xMBmhoqxCvNwzEptiIlKB87+O4bvT8yvRPxvd0gz8UkaSkx",
        ),
        (
            "passage: Presione la herida con un paño limpio durante diez minutos sin mirar debajo.",
            "SuPMsDzQ5s46FSz+WQqtLDDDkdgG69FMQk/1FzGi3rA9vR4m1NEV39UTNndLMLwzvPHeQvgpFZvjxeIuNw/4EUJX"
            "Mifq8u815uj0FASpG8zcxcci1UYpxzwAaA6l0sm2yjxDvzzsEqnjG0jYI7PcPBQh3QXfADawOr3QxLrBQBTeFCMx"
            "OkYZd78v6bjcNdwPLRQ+zWfXMdxEGyK7l+MpOMHDs+7QxDFL29PpHBYXzzvoQD0OFssP3t/s1BAawPYe1MzIMdBO"
            "OQHm7jksL/TnKc03I7ewVL0xBTbWECr1RZXjCyK6yxvx9r2+zbsXDEi/5MIrvjD171jKNBnS3sTGOjYk20I39Esg"
            "KwWQB8HR0h5Bz4HHNDrQ1ysZUiIs+fwvz/H8zEjTDREVOwMbzMciIrwcCSQxPlIs3gkoKQIn0dCjzf/KJSTC0ljy"
            "NrbbNub9vjfS0Sws6VDEtkH07BkHkzAc2h33tDEqu/1AMU8k6fgLuk1Kw/7hucEt2NJFVR49",
        ),
        (
            "passage: The rope is passed twice around the pole: R-2, 12 mm, 40 °C.",
            "KPzk7m277hs6GDP9CQb1CCPz16Yvue01RDLvKC2WzMZd5EoP0Mg6rQgnDUA0LdQHAOf4OwYvQ/bHp6w9XN8pFnlb"
            "M0vAwZr8zdr0BTHR/cKrAbIM1zgnwTnMSjGXzs3P+Btlu1nyJqTfF0G7H/DKLTMzxdHpF/v1V/S+y8X1Ow8nD08d"
            "Fk8hR9zt9t7PKLwiWzRp9yH5Gr82GA+ypMcWSLa4wQy3yi4k2srr8xIF6RPCKUI37uyv3djLyDfx3hsp1ezR5N8x"
            "RkTvySFW/B7dN+4nVKiaW9AGCEK1JRMKOpO5Jjjezij45sLH5eAmQPXA3a80tiP+1xXyGRnB67TwBiE60AkC5nsq"
            "Tyy04+v8qTAK87P2HSbfxBseTSEW6wYzs6TdsCfcQzgdTtn9wNURJKP4HkkMGU41xPpFavMw4Jjr0PvXIELj5xsC"
            "SwTOH8na6Eyl0f1Z4SkNpkUMFPpzgQU5pEUL0PMUrghSAyU08AA+sTc53jr2lcA8qYcePEsf",
        ),
    ],
}
