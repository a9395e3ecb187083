export { changeDraft, changeSetup, clearDraft, draftKey, parseTags, useDraft } from './drafts'
export { FilePicker } from './file-picker'
export { RunInspector } from './inspector'
export { countSetParameters, isSendable, ParametersFields } from './parameters-fields'
export { PartPage, PlaygroundTabs, RemovedAttachment } from './part-page'
export { JsonBadge, RunDetails, RunProblem, runTones, shareText, withPrettyJson } from './run-result'
export { isRunActive, type LiveRun, stopRuns, useRun, useRunsStore } from './runs-store'
export { TargetSelect } from './target-select'
export {
  getStandard,
  type TargetChange,
  toPlaceId,
  useDefaultTarget,
  useTargetTexts,
  withTargetChange,
} from './targets'
