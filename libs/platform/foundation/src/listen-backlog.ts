/**
 * Accept backlog of each listening socket; the system may allow less (net.core.somaxconn). Connections beyond
 * the backlog may be reset, and a burst to a busy process soon exceeds Node's default of 511.
 */
export const LISTEN_BACKLOG = 4_096;
