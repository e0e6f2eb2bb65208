/** The life of a proxy: bound sockets and a first round of health checks make it LIVE. It runs forward only. */
export type ServerState = 'PRE_INITIALIZING' | 'INITIALIZING' | 'LIVE' | 'DRAINING';
