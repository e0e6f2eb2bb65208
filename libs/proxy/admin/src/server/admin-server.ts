import type { OwnServer } from '#platform/http';
import type { AdminConfig, HostPort } from '#proxy/engine';
import { EndpointTable } from '../endpoint/endpoint-table.ts';
import { ADMIN_LIMITS, type AdminLimits } from './admin-limits.ts';
import { AdminRules } from './admin-rules.ts';
import { createServer } from './create-server.ts';

/** The server of the admin endpoints, with its own rules and limits. */
export class AdminServer {
  readonly #admin: AdminConfig;
  readonly #rules: AdminRules;
  readonly #limits: AdminLimits;

  constructor(admin: AdminConfig, address: HostPort, limits: AdminLimits = ADMIN_LIMITS) {
    this.#admin = admin;
    this.#rules = new AdminRules(admin, address);
    this.#limits = limits;
  }

  /** How changes are authorized, for the log. */
  get changes(): AdminRules['changes'] {
    return this.#rules.changes;
  }

  readonly create: OwnServer = ({ errors, log }) => {
    const table = new EndpointTable({ extensions: this.#admin.extensions });
    const instance = createServer({ table, rules: this.#rules, limits: this.#limits, errors });
    instance.server.on('error', (err: NodeJS.ErrnoException) => {
      // Before the server listens, the caller of `listen` receives the error.
      if (!instance.server.listening) return;
      log.warn({ event: 'admin.accept_failed', err }, 'admin connection could not be accepted');
    });
    return instance;
  };
}
