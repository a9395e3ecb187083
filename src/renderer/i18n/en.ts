import type {
  AddressCorrection,
  AuditEntry,
  AuditVerdict,
  OperationKind,
  RegisterEntry,
  RotatedTool,
  RotationState,
  RotationStepId,
  RotationUndoStepId,
  SavedSecret,
} from '@shared/contract'
import type { FailureCode } from '@shared/failure'
import alerts from '../locales/en/alerts.json' with { type: 'json' }
import budgets from '../locales/en/budgets.json' with { type: 'json' }
import common from '../locales/en/common.json' with { type: 'json' }
import compare from '../locales/en/compare.json' with { type: 'json' }
import connections from '../locales/en/connections.json' with { type: 'json' }
import doctor from '../locales/en/doctor.json' with { type: 'json' }
import failures from '../locales/en/failures.json' with { type: 'json' }
import handouts from '../locales/en/handouts.json' with { type: 'json' }
import help from '../locales/en/help.json' with { type: 'json' }
import history from '../locales/en/history.json' with { type: 'json' }
import home from '../locales/en/home.json' with { type: 'json' }
import identities from '../locales/en/identities.json' with { type: 'json' }
import inference from '../locales/en/inference.json' with { type: 'json' }
import keys from '../locales/en/keys.json' with { type: 'json' }
import markdown from '../locales/en/markdown.json' with { type: 'json' }
import mcp from '../locales/en/mcp.json' with { type: 'json' }
import memory from '../locales/en/memory.json' with { type: 'json' }
import metrics from '../locales/en/metrics.json' with { type: 'json' }
import models from '../locales/en/models.json' with { type: 'json' }
import operations from '../locales/en/operations.json' with { type: 'json' }
import packages from '../locales/en/packages.json' with { type: 'json' }
import palette from '../locales/en/palette.json' with { type: 'json' }
import plans from '../locales/en/plans.json' with { type: 'json' }
import playground from '../locales/en/playground.json' with { type: 'json' }
import profiles from '../locales/en/profiles.json' with { type: 'json' }
import prompts from '../locales/en/prompts.json' with { type: 'json' }
import quota from '../locales/en/quota.json' with { type: 'json' }
import register from '../locales/en/register.json' with { type: 'json' }
import registry from '../locales/en/registry.json' with { type: 'json' }
import relay from '../locales/en/relay.json' with { type: 'json' }
import resources from '../locales/en/resources.json' with { type: 'json' }
import rotation from '../locales/en/rotation.json' with { type: 'json' }
import runtimes from '../locales/en/runtimes.json' with { type: 'json' }
import sandbox from '../locales/en/sandbox.json' with { type: 'json' }
import settings from '../locales/en/settings.json' with { type: 'json' }
import shell from '../locales/en/shell.json' with { type: 'json' }
import snippets from '../locales/en/snippets.json' with { type: 'json' }
import sources from '../locales/en/sources.json' with { type: 'json' }
import team from '../locales/en/team.json' with { type: 'json' }
import tools from '../locales/en/tools.json' with { type: 'json' }
import usage from '../locales/en/usage.json' with { type: 'json' }
import welcome from '../locales/en/welcome.json' with { type: 'json' }

type FailureTexts = {
  readonly title: string
  readonly explanation: string
  readonly remedy: string
}

type FailureArea = FailureCode extends `${infer A}.${string}` ? A : never
type CodeSuffix<A extends string, C = FailureCode> = C extends `${A}.${infer W}` ? W : never

type FailureCodeTexts = { readonly [A in FailureArea]: { readonly [W in CodeSuffix<A>]: FailureTexts } }

/** Ensures at compile time that a text exists for each value of these union types. */
export interface RequiredTexts {
  readonly connections: { readonly corrections: Record<AddressCorrection, string> }
  readonly failures: { readonly codes: FailureCodeTexts }
  readonly operations: {
    readonly kinds: Record<OperationKind, Record<'running' | 'succeeded' | 'failed', string>>
  }
  readonly register: {
    readonly statuses: Record<RegisterEntry['status'], string>
    readonly audit: {
      readonly reasons: Record<NonNullable<AuditVerdict['reason']>, string>
      readonly by: Record<AuditEntry['by'], string>
      readonly what: Record<AuditEntry['what'], string>
      readonly secretKinds: Record<SavedSecret['kind'], string>
    }
  }
  readonly rotation: {
    readonly steps: Record<RotationStepId, { readonly title: string; readonly plan: string }>
    readonly undoSteps: Record<RotationUndoStepId, { readonly title: string }>
    readonly states: Record<RotationState, string>
    readonly tools: { readonly states: Record<RotatedTool['state'], string> }
  }
}

const texts = {
  alerts,
  budgets,
  common,
  compare,
  connections,
  doctor,
  failures,
  handouts,
  help,
  history,
  home,
  identities,
  inference,
  keys,
  markdown,
  mcp,
  memory,
  metrics,
  models,
  operations,
  packages,
  palette,
  plans,
  playground,
  profiles,
  prompts,
  quota,
  register,
  registry,
  relay,
  resources,
  rotation,
  runtimes,
  sandbox,
  settings,
  shell,
  snippets,
  sources,
  team,
  tools,
  usage,
  welcome,
}

/** English texts. Each file in `locales/en` contains one namespace. */
export const en = texts satisfies RequiredTexts

export const failureCodes: FailureCodeTexts = failures.codes
