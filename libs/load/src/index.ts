export {
  type AccountPlan,
  type CorrelationPlan,
  type EdgePlan,
  type FeePlan,
  type LoadPlan,
  type LoadStage,
  type MixEntry,
  parseEdgePlan,
  type SeedSource,
  type TelemetryPlan,
  TRANSACTION_KINDS,
  type TransactionKind,
} from './plan/edge-plan.ts';
