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
import * as texts from './en-texts'

type FailureTexts = {
  readonly title: string
  readonly explanation: string
  readonly remedy: string
}

type FailureArea = FailureCode extends `${infer A}.${string}` ? A : never
type CodeSuffix<A extends string, C = FailureCode> = C extends `${A}.${infer W}` ? W : never

type FailureCodeTexts = { readonly [A in FailureArea]: { readonly [W in CodeSuffix<A>]: FailureTexts } }

/** Ensures at compile time that a text exists for each value of these union types. */
interface RequiredTexts {
  readonly connections: { readonly corrections: Record<AddressCorrection, string> }
  readonly failures: { readonly codes: FailureCodeTexts }
  readonly operations: { readonly kinds: Record<OperationKind, Record<'running' | 'succeeded' | 'failed', string>> }
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

/** English texts. Each file in `locales/en` contains one namespace. */
export const en = { ...texts } satisfies RequiredTexts

export const failureCodes: FailureCodeTexts = texts.failures.codes
