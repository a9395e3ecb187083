import type { ResourceAnswer } from '@shared/contract'
import { Plus } from 'lucide-react'
import type { ComponentType, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { Callout } from '../../../ui/callout'
import { ConfirmDialog } from '../../../ui/dialog'
import { ProgressBar } from '../../../ui/skeleton'
import { toast } from '../../../ui/toast'
import { useAddressQuery } from '../../../window-state'
import { useActiveConnection } from '../../connections'
import { CallSheet } from './call-sheet'
import { buildRequest, toTargetParameters, useRun } from './form-values'
import { type Resource, type ResourceAction, type ResourceSubject, type Scope, useResourceText } from './resource'
import { ResourceFailure } from './service-gate'

/** Dialogs that replace the default one, by the id of the action. */
export type ActionDialogs = Readonly<Record<string, ComponentType<ActionDialogProps>>>

export const findActionDialog = (action: ResourceAction | undefined, dialogs: ActionDialogs = {}) =>
  dialogs[action?.id ?? ''] ?? ActionDialog

export function ActionDialog(props: ActionDialogProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const { resource, action, subject, onClose, onDone } = props
  const confirmDone = (answer: ResourceAnswer): void => {
    onDone(answer)
    void toast(text(action.done, subject.name))
    onClose()
  }
  if (!action.fields) return <ConfirmCall {...props} onDone={confirmDone} />
  return (
    <CallSheet
      resourceCall={action}
      subject={subject}
      target={toTargetParameters(resource, subject)}
      isDanger={action.isDanger ?? false}
      warning={
        action.breaks ? (
          <Callout tone="warning" title={t('beforeYouDo')}>
            <AffectedResources action={action} name={subject.name} />
          </Callout>
        ) : null
      }
      {...{ onClose, onDone }}
    />
  )
}

export interface ActionDialogProps {
  readonly resource: Resource
  readonly action: ResourceAction
  readonly subject: ResourceSubject
  readonly onClose: () => void
  readonly onDone: (answer: ResourceAnswer) => void
}

function AffectedResources({ action, name }: { readonly action: ResourceAction; readonly name: string }) {
  const text = useResourceText()
  const { breaks = [] } = action
  if (breaks.length === 0) return null
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4.5">
      {breaks.map((line) => (
        <li key={text(line, name)}>{text(line, name)}</li>
      ))}
    </ul>
  )
}

export function ConfirmCall({ resource, action, subject, onClose, onDone }: ActionDialogProps) {
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const { name } = subject
  const { Effects } = action
  const { run, cancel, isRunning, failure } = useRun(onDone, { removes: action.removes })
  return (
    <ConfirmDialog
      onClose={() => {
        cancel()
        onClose()
      }}
      title={text(action.title, name)}
      description={
        <div className="flex flex-col gap-2">
          {action.text ? <p>{text(action.text, name)}</p> : null}
          <AffectedResources action={action} name={name} />
          {Effects ? <Effects subject={subject} /> : null}
        </div>
      }
      confirmLabel={text(action.confirm, name)}
      danger={action.isDanger ?? false}
      {...(action.wantsName && name !== '' ? { typeToConfirm: name } : {})}
      busy={isRunning}
      onConfirm={() => run(buildRequest(action, {}, toTargetParameters(resource, subject)))}
    >
      {isRunning ? <ProgressBar label={t('working')} /> : null}
      {failure ? <ResourceFailure failure={failure} /> : null}
    </ConfirmDialog>
  )
}

/** Query parameter that opens the create form. */
const newQueryParameter = 'new'

export const toNewPath = (path: string): string => `${path}?${newQueryParameter}=1`

/** Button that creates a resource. Hidden while the connection has no address for the service. */
export function CreateButton({ resource }: { readonly resource: Resource }) {
  const text = useResourceText()
  const [, changeQuery] = useAddressQuery()
  const connection = useActiveConnection()
  const { create, address } = resource
  if (!create || !connection?.addresses[address]) return null
  return (
    <Button variant="primary" icon={Plus} onClick={() => changeQuery({ [newQueryParameter]: '1' })}>
      {text(create.title)}
    </Button>
  )
}

/** Form that creates a resource. Open if the page address says so, because the command palette links to it. */
export function CreateSheet(props: {
  readonly resource: Resource
  readonly scope?: Scope
  readonly renderAnswer?: ((answer: ResourceAnswer, name: string) => ReactNode) | undefined
}) {
  const { scope = {}, renderAnswer } = props
  const { create } = props.resource
  const [query, changeQuery] = useAddressQuery()
  if (!create || query.get(newQueryParameter) !== '1') return null
  const onClose = () => changeQuery({ [newQueryParameter]: undefined })
  return <CallSheet {...{ renderAnswer, onClose }} resourceCall={create} target={{ path: scope, query: {} }} />
}
