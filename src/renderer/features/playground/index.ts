export { FilePicker } from './file-picker'
export { countSetParameters, isSendable, ParametersFields } from './parameters-fields'
export { PartPage, PlaygroundTabs } from './part-page'
export { JsonBadge, RunDetails, RunInspector, RunProblem, runTones, shareText, withPrettyJson } from './run-result'
export { getCachedRun, isRunActive, type LiveRun, stopRuns, useRun } from './runs-store'
export {
  getStandard,
  type TargetChange,
  TargetSelect,
  toPlaceId,
  useDefaultTarget,
  useTargetTexts,
  withTargetChange,
} from './target-select'
export { changeDraft, changeSetup, clearDraft, draftKey, parseTags, useDraft, useStoredDraft } from './use-chat'
