export const connector = ({ defineConnector, integerField, secretField, textField }) =>
  defineConnector({
    name: 'inventory',
    about: 'machines of the inventory service, and who owns them',
    config: {
      url: textField({ about: 'address of the service' }),
      token_env: secretField('environment variable with the token'),
      retries: integerField({ about: 'further attempts at the listing', fallback: 2 }, 0, 10),
    },
    steps: (config) => [
      {
        id: 'machines',
        description: 'hosts and their owners',
        emits: { entities: ['host', 'user'] },
        retries: config.retries,
        async run(context) {
          const headers = { Authorization: `Bearer ${context.config.token_env?.reveal() ?? ''}` };
          const reply = await fetch(`${context.config.url}/machines`, { headers, signal: context.signal });
          if (!reply.ok) throw new Error(`the service answered ${reply.status}`);
          for (const { id, os, owner } of await reply.json()) {
            context.emitEntity({ type: 'host', key: id, class: 'Host', properties: { name: id, os, owner } });
            if (owner !== undefined) context.emitEntity({ type: 'user', key: owner, class: 'User' });
          }
        },
      },
      {
        id: 'owners',
        dependsOn: ['machines'],
        emits: { relationships: ['OWNS'] },
        run(context) {
          for (const { type, key, properties } of context.entities('host')) {
            const { owner } = properties;
            if (typeof owner !== 'string') continue;
            context.emitRelationship({ from: { type: 'user', key: owner }, verb: 'OWNS', to: { type, key } });
          }
        },
      },
    ],
  });
