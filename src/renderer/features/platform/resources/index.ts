export {
  ActionDialog,
  type ActionDialogProps,
  ConfirmCall,
  CreateButton,
  CreateSheet,
  toNewPath,
  useCreateFormState,
} from './call-dialogs'
export { AnswerView, CallSheet } from './call-sheet'
export { FieldsSheet, FieldsTree, FieldsView, FieldValue, RawJson } from './fields-view'
export { readRows } from './form-rows'
export { toTargetParameters, useRefreshResources, useRun } from './form-values'
export { CopyCallMenu, ListPager, ListToolbar, shownCall, useList, useListPosition } from './list-controls'
export {
  findField,
  findIdentifier,
  formatFieldName,
  isObject,
  isPrimitive,
  listRows,
  normalizeName,
  readField,
  readName,
  rowMatcher,
  searchedRows,
  toText,
  unwrapEnvelope,
} from './lookup'
export {
  apiKeyName,
  createdColumn,
  deletion,
  descriptionColumn,
  descriptionField,
  edit,
  expiryDays,
  type FieldPickerProps,
  type FormField,
  type Identifier,
  identityName,
  type Json,
  listTexts,
  logFromRule,
  logLimitRule,
  matchWholeNumber,
  memoryName,
  type Resource,
  type ResourceAction,
  type ResourceCall,
  type ResourceColumn,
  type ResourceSubject,
  type ResourceText,
  type ResourceTranslate,
  type RowsShape,
  replicas,
  scoreThreshold,
  searchLimit,
  statusColumn,
  threshold,
  updatedColumn,
  useResourceText,
  webAddress,
} from './resource'
export { ResourceList } from './resource-list'
export {
  buildTab,
  ResourceDetailPage,
  ResourceListPage,
  type Section,
  SectionPage,
  type ShownResource,
} from './resource-pages'
export { CapturedSecrets, SavedSecretList } from './secret-buttons'
export { LoadedResource, QueryFailure, ResourceFailure, ServiceGate } from './service-gate'
export { useCopyWithToast } from './use-row-menu'
