/** A request to explain; nothing is sent. */
export interface Question {
  /** The host in the form of a Host header. */
  readonly host: string;
  /** The path, with or without a query. */
  readonly path: string;
  /** Default: the first HTTP listener. */
  readonly listener?: string | undefined;
}

/** The route and target of a request, with reasons. */
export interface Explanation {
  readonly listener: string;
  readonly host: string;
  readonly path: string;
  /** All routes, in order of precedence. */
  readonly routes: readonly RouteVerdict[];
  /** The matching route; undefined: 404. */
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
  /** The endpoint that would be chosen; undefined when none is available or the choice is random. */
  readonly endpoint: string | undefined;
  readonly reason: string;
  readonly targets: readonly TargetVerdict[];
}

export interface TargetVerdict {
  /** The endpoint's address as written in the file. */
  readonly endpoint: string;
  /** `ip:port`. */
  readonly address: string;
  readonly isAvailable: boolean;
  readonly reason: string;
}
