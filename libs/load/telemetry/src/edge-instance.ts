/** One life of an edge's process: whose rows and batches they are. */
export interface EdgeInstance {
  readonly edgeId: string;
  readonly instanceId: string;
}
