/**
 * Connections that may wait until a server accepts them, of each listening socket; the system may allow fewer
 * (net.core.somaxconn). Of a burst beyond it some are reset, and Node's own 511 are soon there when a process
 * is busy.
 */
export const LISTEN_BACKLOG = 4_096;
