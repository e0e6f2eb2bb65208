/**
 * Searches a text for a regular expression in steps: Pike's simulation of the automaton compiled by re2js,
 * with all threads in parallel and without captures. Linear in text × program, like re2js itself, which
 * cannot be interrupted. *Hot path*.
 *
 * A thread is the number of an instruction that reads a character, or of the match. After each character,
 * the threads that read it continue, and one more starts. A set of parallel threads that occurred before is
 * a known state with known transitions: a deterministic automaton, built on demand.
 */
import type { RE2JS } from 're2js';
import { STEPS_PER_TURN } from './text-matcher.port.ts';

/** Instruction numbers of re2js. */
const ALT = 1;
const ALT_MATCH = 2;
const CAPTURE = 3;
const EMPTY_WIDTH = 4;
const MATCH = 6;
const NOP = 7;
const RUNE_ANY = 10;
const RUNE_ANY_NOT_NEWLINE = 11;

/** Conditions of an empty-width instruction. */
const LINE_START = 1;
const LINE_END = 2;
const TEXT_START = 4;
const TEXT_END = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

const NEWLINE = 10;
/** The code point before the first character, and after the last one. */
const NOTHING = -1;

interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(point: number): boolean;
}

interface Program {
  readonly start: number;
  numInst(): number;
  getInst(number: number): Instruction;
  startCond(): number;
}

/** Number of the instruction that fails. */
const FAIL = 0;

class Threads {
  readonly items: Int32Array;
  readonly #seenAt: Int32Array;
  readonly #stack: number[] = [];
  #turn = 0;
  count = 0;
  hasMatch = false;

  constructor(size: number) {
    this.items = new Int32Array(size);
    this.#seenAt = new Int32Array(size);
  }

  clear(): void {
    this.#turn++;
    this.count = 0;
    this.hasMatch = false;
  }

  /** Replaces the threads by these, none of which is a match. */
  load(threads: Int32Array): void {
    this.clear();
    this.items.set(threads);
    this.count = threads.length;
  }

  /**
   * Adds the instructions that `from` reaches without reading a character, at a position of kind `context`.
   */
  add(instructions: readonly Instruction[], from: number, context: number): void {
    const stack = this.#stack;
    stack.push(from);
    for (let number = stack.pop(); number !== undefined; number = stack.pop()) {
      if (number === FAIL || this.#seenAt[number] === this.#turn) continue;
      this.#seenAt[number] = this.#turn;
      const { op, out, arg } = instructions[number]!;
      if (op === ALT || op === ALT_MATCH) stack.push(arg, out);
      else if (op === CAPTURE || op === NOP) stack.push(out);
      else if (op === EMPTY_WIDTH) {
        if ((arg & ~context) === 0) stack.push(out);
      } else {
        this.items[this.count++] = number;
        if (op === MATCH) this.hasMatch = true;
      }
    }
  }
}

/** A set of parallel threads, with its known transitions by character and kind of position. */
interface State {
  readonly threads: Int32Array;
  readonly hasMatch: boolean;
  readonly next: Map<number, State>;
}

/** Limits of remembered threads and transitions, for expressions that reach ever new states. */
const KEPT_MAX = 100_000;
/** Cost of remembering a thread, in steps. */
const STEPS_PER_NEW_THREAD = 8;
const CONTEXT_BITS = 6;

export class ExpressionSearch {
  readonly #instructions: readonly Instruction[];
  readonly #start: number;
  readonly #startsAtTextOnly: boolean;
  readonly #states = new Map<string, State>();
  #kept = 0;
  #current: Threads;
  #next: Threads;

  constructor(expression: RE2JS) {
    const program = expression.re2().prog as Program;
    this.#instructions = Array.from({ length: program.numInst() }, (_, number) => program.getInst(number));
    this.#start = program.start;
    this.#startsAtTextOnly = (program.startCond() & TEXT_START) !== 0;
    this.#current = new Threads(this.size);
    this.#next = new Threads(this.size);
  }

  /** Maximum number of parallel threads. */
  get size(): number {
    return this.#instructions.length;
  }

  /** Whether the expression matches anywhere in the text. One search at a time. */
  *run(text: string): Generator<void, boolean> {
    let state = this.#startAt(text);
    let point = pointAt(text, 0);
    let steps = 0;
    for (let at = 0; ;) {
      if (state.hasMatch) return true;
      if (point === NOTHING || this.#isStuck(state.threads.length)) return false;
      if (this.#kept > KEPT_MAX) return yield* this.#simulate(text, at, state.threads);
      at += point > 0xffff ? 2 : 1;
      const following = pointAt(text, at);
      const context = contextOf(point, following);
      const key = (point << CONTEXT_BITS) | context;
      let next = state.next.get(key);
      if (next === undefined) {
        steps += state.threads.length * STEPS_PER_NEW_THREAD;
        state.next.set(key, (next = this.#after(state.threads, point, context)));
      }
      state = next;
      point = following;
      if (++steps < STEPS_PER_TURN) continue;
      steps = 0;
      yield;
    }
  }

  /** Continues {@link run} from `start` without remembering states. */
  *#simulate(text: string, start: number, threads: Int32Array): Generator<void, boolean> {
    let point = pointAt(text, start);
    let steps = 0;
    this.#next.load(threads);
    for (let at = start; ;) {
      [this.#current, this.#next] = [this.#next, this.#current];
      if (this.#current.hasMatch) return true;
      if (point === NOTHING || this.#isStuck(this.#current.count)) return false;
      at += point > 0xffff ? 2 : 1;
      const following = pointAt(text, at);
      this.#read(point, contextOf(point, following));
      point = following;
      steps += this.#current.count + 1;
      if (steps < STEPS_PER_TURN) continue;
      steps = 0;
      yield;
    }
  }

  #isStuck(threads: number): boolean {
    return this.#startsAtTextOnly && threads === 0;
  }

  #startAt(text: string): State {
    this.#next.clear();
    this.#next.add(this.#instructions, this.#start, contextOf(NOTHING, pointAt(text, 0)));
    return this.#state();
  }

  #after(threads: Int32Array, point: number, context: number): State {
    this.#current.load(threads);
    this.#read(point, context);
    return this.#state();
  }

  /** Computes the next threads from the current ones. */
  #read(point: number, context: number): void {
    const instructions = this.#instructions;
    const [current, next] = [this.#current, this.#next];
    next.clear();
    for (let thread = 0; thread < current.count; thread++) {
      const instruction = instructions[current.items[thread]!]!;
      if (reads(instruction, point)) next.add(instructions, instruction.out, context);
    }
    if (!this.#startsAtTextOnly) next.add(instructions, this.#start, context);
  }

  /** The next threads as a state, the same one for the same threads. */
  #state(): State {
    const threads = this.#next.items.slice(0, this.#next.count);
    const key = threads.join();
    let state = this.#states.get(key);
    if (state === undefined) {
      state = { threads, hasMatch: this.#next.hasMatch, next: new Map<number, State>() };
      this.#states.set(key, state);
      this.#kept += threads.length;
    }
    this.#kept++;
    return state;
  }
}

function reads(instruction: Instruction, point: number): boolean {
  if (instruction.op === RUNE_ANY) return true;
  if (instruction.op === RUNE_ANY_NOT_NEWLINE) return point !== NEWLINE;
  return instruction.matchRune(point);
}

function pointAt(text: string, at: number): number {
  return text.codePointAt(at) ?? NOTHING;
}

/** The kind of a position between two characters. */
function contextOf(before: number, after: number): number {
  let context = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
  if (before === NOTHING) context |= TEXT_START | LINE_START;
  if (before === NEWLINE) context |= LINE_START;
  if (after === NOTHING) context |= TEXT_END | LINE_END;
  if (after === NEWLINE) context |= LINE_END;
  return context;
}

/** ASCII letters, digits and `_`. */
function isWord(point: number): boolean {
  const isLetter = (point >= 0x41 && point <= 0x5a) || (point >= 0x61 && point <= 0x7a);
  return isLetter || (point >= 0x30 && point <= 0x39) || point === 0x5f;
}
