export { ActionDialog, ConfirmCall, CreateButton, CreateSheet, toNewPath, useCreating } from './call-dialogs'
export { AnswerView, CallSheet } from './call-sheet'
export { FieldsSheet, FieldsTree, FieldsView, FieldValue, RawJson } from './fields-view'
export { toTargetParameters, useRefreshResources, useRun } from './form-values'
export { ListPager, ListToolbar, shownCall, useList, useListPlace } from './list-controls'
export {
  bareName,
  changingMs,
  findIdentifier,
  foundField,
  isChanging,
  isObject,
  isPlain,
  listRows,
  readField,
  readName,
  rowMatcher,
  searchedRows,
  toText,
  toWords,
  unwrapEnvelope,
} from './lookup'
export {
  apiKeyName,
  deletion,
  expiryDays,
  type FieldPickerProps,
  type FormField,
  type Identifier,
  identityName,
  type Json,
  logFrom,
  logLimit,
  matchWholeNumber,
  memoryName,
  type Resource,
  type ResourceAction,
  type ResourceCall,
  type ResourceColumn,
  type ResourceT,
  replicas,
  type Subject,
  scoreThreshold,
  searchLimit,
  type Text,
  threshold,
  useText,
  webAddress,
} from './resource'
export { ResourceList } from './resource-list'
export {
  ResourceDetailPage,
  ResourceListPage,
  type Section,
  SectionPage,
  type ShownResource,
  toTab,
} from './resource-pages'
export { HeldSecrets, KeptSecrets } from './secret-buttons'
export { LoadedResource, QueryFailure, ResourceFailure, ServiceGate } from './service-gate'
export { useCopyCall, useCopyWithToast } from './use-row-menu'
