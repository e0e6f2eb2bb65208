/** Sorts numbers in ascending order. *Hot path* of small searches. */

/** Up to this length, insertion sort is faster than a call of the typed array's sort. */
const INSERTED_MAX = 32;

/** Sorts the numbers in place, and returns them. */
export function sortAscending(numbers: Uint32Array): Uint32Array {
  if (numbers.length > INSERTED_MAX) return numbers.sort();
  for (let at = 1; at < numbers.length; at++) {
    const number = numbers[at]!;
    let place = at;
    for (; place > 0 && numbers[place - 1]! > number; place--) numbers[place] = numbers[place - 1]!;
    numbers[place] = number;
  }
  return numbers;
}
