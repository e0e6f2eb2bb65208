/** The life of a proxy, forward only: bound sockets and a first round of health checks make it LIVE. */
export type ServerState = 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE' | 'DRAINING';
