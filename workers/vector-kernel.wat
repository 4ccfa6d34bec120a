;; The vector kernel: what must run at the speed of memory, and nothing else. Everything that is
;; decided (where things lie, bounds, order of the result) is in vectors.mjs and its neighbours;
;; vector-kernel-scalar.mjs is the same interface in plain JavaScript, equal to the last bit.
;;
;; Pointers are byte addresses in the imported memory, aligned to 16. Rows are int8[dims] and dims is
;; a multiple of 16. Rows, norms and scores are read and written in groups of four, so each area
;; needs room for a count rounded up to four; what is computed for rows past the count is ignored.
(module
  (import "env" "memory" (memory 0))

  ;; scores[i] = f32(dot(row i, query)) / norms[i], the query as int16[dims], the dot exact in int32
  ;; (the caller scales the query so that it cannot overflow). Scores stay within +-1e38, so that a
  ;; margin can be taken off one even where a file has absurd norms. `allowed` is 0 or a bitmap of
  ;; the rows, lowest bit first; one that is not allowed scores -infinity, and four such are skipped.
  ;;
  ;; Four rows at once read memory in an order that no prefetcher sees through. So each step also
  ;; touches the next 64 bytes of one line through all of them, 512 bytes on: measured on a Zen core
  ;; over 96 MB, 1.2 times the time of a plain read instead of 2.5. (256 on gives 1.8, 1,024 1.5;
  ;; one row after the other 1.7.) It reads up to 512 bytes past the rows, and `$touched` is only
  ;; there so that no compiler drops the loads.
  (func (export "scan")
    (param $rows i32) (param $norms i32) (param $query i32) (param $scores i32)
    (param $count i32) (param $dims i32) (param $allowed i32)
    (local $i i32) (local $four i32) (local $q i32) (local $end i32) (local $ahead i32)
    (local $p0 i32) (local $p1 i32) (local $p2 i32) (local $p3 i32) (local $sink v128)
    (local $a0 v128) (local $a1 v128) (local $a2 v128) (local $a3 v128)
    (local $low v128) (local $high v128) (local $result v128)
    (local.set $four (i32.const 15))
    (block $end (loop $group
      (br_if $end (i32.ge_u (local.get $i) (local.get $count)))
      (local.set $result (f32x4.splat (f32.const -inf)))
      (if (local.get $allowed) (then
        (local.set $four (i32.and (i32.const 15) (i32.shr_u
          (i32.load8_u (i32.add (local.get $allowed) (i32.shr_u (local.get $i) (i32.const 3))))
          (i32.and (local.get $i) (i32.const 4)))))))
      (if (local.get $four) (then
        (local.set $p0 (i32.add (local.get $rows) (i32.mul (local.get $i) (local.get $dims))))
        (local.set $p1 (i32.add (local.get $p0) (local.get $dims)))
        (local.set $p2 (i32.add (local.get $p1) (local.get $dims)))
        (local.set $p3 (i32.add (local.get $p2) (local.get $dims)))
        (local.set $end (local.get $p1))
        (local.set $ahead (local.get $p0))
        (local.set $q (local.get $query))
        (local.set $a0 (v128.const i32x4 0 0 0 0)) (local.set $a1 (v128.const i32x4 0 0 0 0))
        (local.set $a2 (v128.const i32x4 0 0 0 0)) (local.set $a3 (v128.const i32x4 0 0 0 0))
        (loop $step  ;; 16 dimensions of four rows; the query is loaded once for all four
          (local.set $sink (v128.xor (local.get $sink) (v128.load offset=512 (local.get $ahead))))
          (local.set $ahead (i32.add (local.get $ahead) (i32.const 64)))
          (local.set $low (v128.load (local.get $q)))
          (local.set $high (v128.load offset=16 (local.get $q)))
          (local.set $a0 (i32x4.add (local.get $a0) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (local.get $p0)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (local.get $p0))))))
          (local.set $a1 (i32x4.add (local.get $a1) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (local.get $p1)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (local.get $p1))))))
          (local.set $a2 (i32x4.add (local.get $a2) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (local.get $p2)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (local.get $p2))))))
          (local.set $a3 (i32x4.add (local.get $a3) (i32x4.add
            (i32x4.dot_i16x8_s (local.get $low) (v128.load8x8_s (local.get $p3)))
            (i32x4.dot_i16x8_s (local.get $high) (v128.load8x8_s offset=8 (local.get $p3))))))
          (local.set $q (i32.add (local.get $q) (i32.const 32)))
          (local.set $p1 (i32.add (local.get $p1) (i32.const 16)))
          (local.set $p2 (i32.add (local.get $p2) (i32.const 16)))
          (local.set $p3 (i32.add (local.get $p3) (i32.const 16)))
          (br_if $step (i32.lt_u
            (local.tee $p0 (i32.add (local.get $p0) (i32.const 16))) (local.get $end))))
        ;; Four sums of four lanes each, turned into one vector of four sums.
        (local.set $low (call $pairs (local.get $a0) (local.get $a1)))
        (local.set $high (call $pairs (local.get $a2) (local.get $a3)))
        (local.set $result (f32x4.div
          (f32x4.convert_i32x4_s (i32x4.add
            (i8x16.shuffle 0 1 2 3 4 5 6 7 16 17 18 19 20 21 22 23 (local.get $low) (local.get $high))
            (i8x16.shuffle 8 9 10 11 12 13 14 15 24 25 26 27 28 29 30 31 (local.get $low) (local.get $high))))
          (v128.load (i32.add (local.get $norms) (i32.shl (local.get $i) (i32.const 2))))))
        (local.set $result (f32x4.max (f32x4.splat (f32.const -1e38))
          (f32x4.min (f32x4.splat (f32.const 1e38)) (local.get $result))))
        (if (i32.ne (local.get $four) (i32.const 15)) (then
          (local.set $result (call $mask (local.get $four) (local.get $result)))))))
      (v128.store (i32.add (local.get $scores) (i32.shl (local.get $i) (i32.const 2))) (local.get $result))
      (local.set $i (i32.add (local.get $i) (i32.const 4)))
      (br $group)))
    (global.set $touched (i32x4.extract_lane 0 (local.get $sink))))

  (global $touched (mut i32) (i32.const 0))

  ;; (x0+x2, y0+y2, x1+x3, y1+y3)
  (func $pairs (param $x v128) (param $y v128) (result v128)
    (i32x4.add
      (i8x16.shuffle 0 1 2 3 16 17 18 19 4 5 6 7 20 21 22 23 (local.get $x) (local.get $y))
      (i8x16.shuffle 8 9 10 11 24 25 26 27 12 13 14 15 28 29 30 31 (local.get $x) (local.get $y))))

  ;; Collects from `count` scores, the first being of row `first`, every row that can still be among
  ;; the best. `best` is state kept between calls: +0 f32 cutoff, +4 f32 margin,
  ;; +8 capacity and +12 length of a min-heap of scores at +16, +20 length of the found rows, whose
  ;; numbers lie at +24 and scores at +28. Once the heap is full, the cutoff is its least score less
  ;; the margin. It is never below the least finite f32, so -infinity is never collected.
  (func (export "select")
    (param $best i32) (param $scores i32) (param $count i32) (param $first i32)
    (local $i i32) (local $end i32) (local $found i32) (local $score f32)
    (block $done (loop $four
      (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
      (if (v128.any_true (f32x4.ge
            (v128.load (i32.add (local.get $scores) (i32.shl (local.get $i) (i32.const 2))))
            (v128.load32_splat (local.get $best))))
        (then
          (local.set $end (i32.add (local.get $i) (i32.const 4)))
          (if (i32.gt_u (local.get $end) (local.get $count)) (then (local.set $end (local.get $count))))
          (loop $one
            (local.set $score (f32.load (i32.add (local.get $scores) (i32.shl (local.get $i) (i32.const 2)))))
            (if (f32.ge (local.get $score) (f32.load (local.get $best))) (then
              (local.set $found (i32.load offset=20 (local.get $best)))
              (i32.store
                (i32.add (i32.load offset=24 (local.get $best)) (i32.shl (local.get $found) (i32.const 2)))
                (i32.add (local.get $first) (local.get $i)))
              (f32.store
                (i32.add (i32.load offset=28 (local.get $best)) (i32.shl (local.get $found) (i32.const 2)))
                (local.get $score))
              (i32.store offset=20 (local.get $best) (i32.add (local.get $found) (i32.const 1)))
              (call $keep (local.get $best) (local.get $score))))
            (br_if $one (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $end))))
          (local.set $i (i32.and (i32.add (local.get $i) (i32.const 3)) (i32.const -4))))
        (else (local.set $i (i32.add (local.get $i) (i32.const 4)))))
      (br $four))))

  ;; Puts a score into the heap if it is among the best, and raises the cutoff.
  (func $keep (param $best i32) (param $score f32)
    (local $heap i32) (local $size i32) (local $at i32) (local $other i32) (local $value f32)
    (local.set $heap (i32.load offset=16 (local.get $best)))
    (local.set $size (i32.load offset=12 (local.get $best)))
    (if (i32.lt_u (local.get $size) (i32.load offset=8 (local.get $best)))
      (then  ;; not full: move up from a new place at the end
        (local.set $at (local.get $size))
        (local.set $size (i32.add (local.get $size) (i32.const 1)))
        (i32.store offset=12 (local.get $best) (local.get $size))
        (block $placed (loop $up
          (br_if $placed (i32.eqz (local.get $at)))
          (local.set $other (i32.shr_u (i32.sub (local.get $at) (i32.const 1)) (i32.const 1)))
          (local.set $value (f32.load (i32.add (local.get $heap) (i32.shl (local.get $other) (i32.const 2)))))
          (br_if $placed (f32.le (local.get $value) (local.get $score)))
          (f32.store (i32.add (local.get $heap) (i32.shl (local.get $at) (i32.const 2))) (local.get $value))
          (local.set $at (local.get $other))
          (br $up)))
        (f32.store (i32.add (local.get $heap) (i32.shl (local.get $at) (i32.const 2))) (local.get $score))
        (if (i32.lt_u (local.get $size) (i32.load offset=8 (local.get $best))) (then (return))))
      (else  ;; full: the least score leaves, if this one is better; move down from the root
        (if (f32.le (local.get $score) (f32.load (local.get $heap))) (then (return)))
        (block $placed (loop $down
          (local.set $other (i32.add (i32.shl (local.get $at) (i32.const 1)) (i32.const 1)))
          (br_if $placed (i32.ge_u (local.get $other) (local.get $size)))
          (local.set $value (f32.load (i32.add (local.get $heap) (i32.shl (local.get $other) (i32.const 2)))))
          (if (i32.lt_u (i32.add (local.get $other) (i32.const 1)) (local.get $size)) (then
            (if (f32.lt
                  (f32.load offset=4 (i32.add (local.get $heap) (i32.shl (local.get $other) (i32.const 2))))
                  (local.get $value))
              (then
                (local.set $other (i32.add (local.get $other) (i32.const 1)))
                (local.set $value
                  (f32.load (i32.add (local.get $heap) (i32.shl (local.get $other) (i32.const 2)))))))))
          (br_if $placed (f32.ge (local.get $value) (local.get $score)))
          (f32.store (i32.add (local.get $heap) (i32.shl (local.get $at) (i32.const 2))) (local.get $value))
          (local.set $at (local.get $other))
          (br $down)))
        (f32.store (i32.add (local.get $heap) (i32.shl (local.get $at) (i32.const 2))) (local.get $score))))
    (f32.store (local.get $best) (f32.max
      (f32.const -0x1.fffffep127)
      (f32.sub (f32.load (local.get $heap)) (f32.load offset=4 (local.get $best))))))

  ;; Copies `count` scattered rows (u32 numbers at `list`) and their norms to where `scan` wants them.
  (func (export "gather")
    (param $list i32) (param $count i32) (param $rows i32) (param $norms i32)
    (param $to i32) (param $lengths i32) (param $dims i32)
    (local $row i32) (local $from i32) (local $end i32)
    (block $done (loop $next
      (br_if $done (i32.eqz (local.get $count)))
      (local.set $row (i32.load (local.get $list)))
      (f32.store (local.get $lengths)
        (f32.load (i32.add (local.get $norms) (i32.shl (local.get $row) (i32.const 2)))))
      (local.set $from (i32.add (local.get $rows) (i32.mul (local.get $row) (local.get $dims))))
      (local.set $end (i32.add (local.get $to) (local.get $dims)))
      (loop $step
        (v128.store (local.get $to) (v128.load (local.get $from)))
        (local.set $from (i32.add (local.get $from) (i32.const 16)))
        (br_if $step (i32.lt_u (local.tee $to (i32.add (local.get $to) (i32.const 16))) (local.get $end))))
      (local.set $list (i32.add (local.get $list) (i32.const 4)))
      (local.set $lengths (i32.add (local.get $lengths) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $next))))

  ;; The largest (|row| / norm)² of the rows: 1 but for rounding in a file that follows its format.
  ;; Bounds the error of `scan` for a file that does not.
  (func (export "fit")
    (param $rows i32) (param $norms i32) (param $count i32) (param $dims i32) (result f64)
    (local $end i32) (local $x v128) (local $low v128) (local $high v128) (local $sum v128)
    (local $norm f64) (local $largest f64)
    (block $done (loop $row
      (br_if $done (i32.eqz (local.get $count)))
      (local.set $end (i32.add (local.get $rows) (local.get $dims)))
      (local.set $sum (v128.const i32x4 0 0 0 0))
      (loop $step
        (local.set $x (v128.load (local.get $rows)))
        (local.set $low (i16x8.extend_low_i8x16_s (local.get $x)))
        (local.set $high (i16x8.extend_high_i8x16_s (local.get $x)))
        (local.set $sum (i32x4.add (local.get $sum) (i32x4.add
          (i32x4.dot_i16x8_s (local.get $low) (local.get $low))
          (i32x4.dot_i16x8_s (local.get $high) (local.get $high)))))
        (br_if $step (i32.lt_u (local.tee $rows (i32.add (local.get $rows) (i32.const 16))) (local.get $end))))
      (local.set $norm (f64.promote_f32 (f32.load (local.get $norms))))
      (local.set $largest (f64.max (local.get $largest) (f64.div
        (f64.convert_i32_s (i32.add
          (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
          (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (f64.mul (local.get $norm) (local.get $norm)))))
      (local.set $norms (i32.add (local.get $norms) (i32.const 4)))
      (local.set $count (i32.sub (local.get $count) (i32.const 1)))
      (br $row)))
    (local.get $largest))

  ;; Sign codes: bit j of a row's code says whether row[j] > norm * mean[j] (f32[dims]). The codes of
  ;; 16 rows lie interleaved: byte b of all 16, then byte b + 1; `estimate` reads them so. `count`
  ;; rows from a row whose number is a multiple of 16; codes start at that row's group.
  (func (export "signs")
    (param $rows i32) (param $norms i32) (param $mean i32) (param $codes i32)
    (param $count i32) (param $dims i32)
    (local $i i32) (local $j i32) (local $at i32) (local $bits i32)
    (local $norm v128) (local $low v128) (local $high v128)
    (block $done (loop $row
      (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
      (local.set $norm (v128.load32_splat (local.get $norms)))
      (local.set $at (i32.add (local.get $codes) (i32.add
        (i32.mul (i32.and (local.get $i) (i32.const -16)) (i32.shr_u (local.get $dims) (i32.const 3)))
        (i32.and (local.get $i) (i32.const 15)))))
      (local.set $j (i32.const 0))
      (loop $step  ;; 16 dimensions make two bytes
        (local.set $low (v128.load8x8_s (i32.add (local.get $rows) (local.get $j))))
        (local.set $high (v128.load8x8_s offset=8 (i32.add (local.get $rows) (local.get $j))))
        (local.set $bits (i8x16.bitmask (i8x16.narrow_i16x8_s
          (i16x8.narrow_i32x4_s
            (call $above (i32x4.extend_low_i16x8_s (local.get $low)) (local.get $norm)
              (v128.load (i32.add (local.get $mean) (i32.shl (local.get $j) (i32.const 2)))))
            (call $above (i32x4.extend_high_i16x8_s (local.get $low)) (local.get $norm)
              (v128.load offset=16 (i32.add (local.get $mean) (i32.shl (local.get $j) (i32.const 2))))))
          (i16x8.narrow_i32x4_s
            (call $above (i32x4.extend_low_i16x8_s (local.get $high)) (local.get $norm)
              (v128.load offset=32 (i32.add (local.get $mean) (i32.shl (local.get $j) (i32.const 2)))))
            (call $above (i32x4.extend_high_i16x8_s (local.get $high)) (local.get $norm)
              (v128.load offset=48 (i32.add (local.get $mean) (i32.shl (local.get $j) (i32.const 2)))))))))
        (i32.store8 (local.get $at) (local.get $bits))
        (i32.store8 offset=16 (local.get $at) (i32.shr_u (local.get $bits) (i32.const 8)))
        (local.set $at (i32.add (local.get $at) (i32.const 32)))
        (br_if $step (i32.lt_u (local.tee $j (i32.add (local.get $j) (i32.const 16))) (local.get $dims))))
      (local.set $rows (i32.add (local.get $rows) (local.get $dims)))
      (local.set $norms (i32.add (local.get $norms) (i32.const 4)))
      (local.set $i (i32.add (local.get $i) (i32.const 1)))
      (br $row))))

  (func $above (param $values v128) (param $norm v128) (param $mean v128) (result v128)
    (f32x4.gt (f32x4.convert_i32x4_s (local.get $values)) (f32x4.mul (local.get $norm) (local.get $mean))))

  ;; scores[i] = sum * scale + along[i] * weight, where the sum runs over the half bytes of row i's
  ;; code, each looked up in the 16 u8 of its place in `table` (low half of byte 0, high half of
  ;; byte 0, low half of byte 1, ...) and `along` is u8 a row. No entry is above 127 and no sum above
  ;; 65535. `allowed` as for `scan`, 16 rows at a time; all areas are rounded up to 16 rows.
  (func (export "estimate")
    (param $codes i32) (param $along i32) (param $table i32) (param $scores i32)
    (param $count i32) (param $bytes i32) (param $scale f32) (param $weight f32) (param $allowed i32)
    (local $i i32) (local $sixteen i32) (local $end i32) (local $place i32)
    (local $x v128) (local $low v128) (local $high v128) (local $s v128) (local $w v128)
    (local.set $s (f32x4.splat (local.get $scale)))
    (local.set $w (f32x4.splat (local.get $weight)))
    (local.set $sixteen (i32.const 0xffff))
    (block $done (loop $group
      (br_if $done (i32.ge_u (local.get $i) (local.get $count)))
      (local.set $low (v128.const i32x4 0 0 0 0))
      (local.set $high (v128.const i32x4 0 0 0 0))
      (local.set $end (i32.add (local.get $codes) (i32.shl (local.get $bytes) (i32.const 4))))
      (if (local.get $allowed) (then
        (local.set $sixteen (i32.load16_u
          (i32.add (local.get $allowed) (i32.shr_u (local.get $i) (i32.const 3)))))))
      (if (local.get $sixteen)
        (then
          (local.set $place (local.get $table))
          (loop $byte  ;; one byte of 16 rows: 16 lookups in one instruction, twice
            (local.set $x (v128.load (local.get $codes)))
            (local.set $x (i8x16.add
              (i8x16.swizzle (v128.load (local.get $place))
                (v128.and (local.get $x) (i8x16.splat (i32.const 15))))
              (i8x16.swizzle (v128.load offset=16 (local.get $place))
                (i8x16.shr_u (local.get $x) (i32.const 4)))))
            (local.set $low (i16x8.add (local.get $low) (i16x8.extend_low_i8x16_u (local.get $x))))
            (local.set $high (i16x8.add (local.get $high) (i16x8.extend_high_i8x16_u (local.get $x))))
            (local.set $place (i32.add (local.get $place) (i32.const 32)))
            (br_if $byte (i32.lt_u
              (local.tee $codes (i32.add (local.get $codes) (i32.const 16))) (local.get $end))))
          (local.set $x (v128.load (i32.add (local.get $along) (local.get $i))))
          (call $weigh (local.get $low) (i16x8.extend_low_i8x16_u (local.get $x))
            (local.get $s) (local.get $w) (local.get $sixteen) (local.get $scores))
          (call $weigh (local.get $high) (i16x8.extend_high_i8x16_u (local.get $x))
            (local.get $s) (local.get $w) (i32.shr_u (local.get $sixteen) (i32.const 8))
            (i32.add (local.get $scores) (i32.const 32))))
        (else
          (local.set $codes (local.get $end))
          (local.set $x (f32x4.splat (f32.const -inf)))
          (v128.store (local.get $scores) (local.get $x))
          (v128.store offset=16 (local.get $scores) (local.get $x))
          (v128.store offset=32 (local.get $scores) (local.get $x))
          (v128.store offset=48 (local.get $scores) (local.get $x))))
      (local.set $scores (i32.add (local.get $scores) (i32.const 64)))
      (local.set $i (i32.add (local.get $i) (i32.const 16)))
      (br $group))))

  ;; Eight scores out of eight sums and eight values of `along`.
  (func $weigh
    (param $sums v128) (param $along v128) (param $s v128) (param $w v128)
    (param $allowed i32) (param $scores i32)
    (v128.store (local.get $scores) (call $mask (local.get $allowed)
      (f32x4.add
        (f32x4.mul (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $sums))) (local.get $s))
        (f32x4.mul (f32x4.convert_i32x4_u (i32x4.extend_low_i16x8_u (local.get $along))) (local.get $w)))))
    (v128.store offset=16 (local.get $scores) (call $mask (i32.shr_u (local.get $allowed) (i32.const 4))
      (f32x4.add
        (f32x4.mul (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $sums))) (local.get $s))
        (f32x4.mul (f32x4.convert_i32x4_u (i32x4.extend_high_i16x8_u (local.get $along))) (local.get $w))))))

  ;; Four scores, -infinity where the bit (lowest first) is not set.
  (func $mask (param $four i32) (param $scores v128) (result v128)
    (v128.bitselect
      (local.get $scores)
      (f32x4.splat (f32.const -inf))
      (i32x4.ne
        (v128.and (i32x4.splat (local.get $four)) (v128.const i32x4 1 2 4 8))
        (v128.const i32x4 0 0 0 0))))
)
