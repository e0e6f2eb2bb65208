/** A request to be explained: nothing is sent. */
export interface Question {
  /** As a Host header has it. */
  readonly host: string;
  /** With or without a query. */
  readonly path: string;
  /** The first HTTP listener when left out. */
  readonly listener?: string | undefined;
}

/** Which way a request would take now, and why. */
export interface Explanation {
  readonly listener: string;
  readonly host: string;
  readonly path: string;
  /** All routes, the ones that come first in precedence first. */
  readonly routes: readonly RouteVerdict[];
  /** The route that takes the request; undefined: 404. */
  readonly route: RouteVerdict | undefined;
  readonly redirect: 'https' | undefined;
  /** Undefined for a redirect or without a route. */
  readonly cluster: ClusterVerdict | undefined;
}

export interface RouteVerdict {
  /** Position in the file, from 0. */
  readonly index: number;
  readonly line: number;
  readonly host: string;
  readonly prefix: string;
  readonly takes: boolean;
  readonly reason: string;
}

export interface ClusterVerdict {
  readonly name: string;
  readonly lbPolicy: string;
  /** The endpoint that would be chosen now; undefined when none is available or chance decides. */
  readonly endpoint: string | undefined;
  readonly reason: string;
  readonly targets: readonly TargetVerdict[];
}

export interface TargetVerdict {
  /** As the file has it. */
  readonly endpoint: string;
  /** `ip:port`. */
  readonly address: string;
  readonly isAvailable: boolean;
  readonly reason: string;
}
