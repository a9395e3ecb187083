export { AllOrNothing, ApplyBar, useApplyKey, WriteFailure } from './apply-bar'
export { LeftOut, LeftTools, ManyPreviewArea } from './bulk-changes'
export { KeyField, ModelField } from './choice-form'
export { changesNothing, FileChanges, LayoutToggle, useShown, Waiting } from './file-changes'
export { FirstTool } from './first-tool'
export {
  readSite,
  setupKey,
  setupsOf,
  siteText,
  type ToolHere,
  toolAt,
  toolHere,
  userSite,
  useSiteWords,
  usesPlan,
} from './sites'
export {
  isModelCode,
  keyChoice,
  keyOf,
  previewInput,
  readRoute,
  resolveToolForm,
  routesOf,
  workingKeyOf,
} from './tool-form'
export { StandingDot, ToolMark } from './tool-mark'
export { getToolStatus, isHere, listTools, nextStep, setUpPath, standingWord, stateOf, toolPath } from './tool-status'
export { ToolWarnings } from './tool-warnings'
export { useToolsStore } from './tools-store'
export { useConfigureThrough, useShowFile, useVerify } from './use-tool-actions'
