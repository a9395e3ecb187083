import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Sheet } from '../../ui/dialog'
import {
  ActionDialog,
  AnswerView,
  CallSheet,
  ConfirmCall,
  type ResourceAction,
  rowsOf,
  type Subject,
  targetOf,
  useText,
} from '../resources'
import { changeFields, flavorChoices, resetServiceAccount, runtimes, updateRuntime, withFlavors } from './runtimes'

/** Something that is done with one runtime. */
export interface Doing {
  readonly action: ResourceAction
  readonly subject: Subject
}

interface DialogProps extends Doing {
  readonly connection: ConnectionView
  readonly onClose: () => void
  /** The runtime is gone. */
  readonly onGone: () => void
}

/** The form of a change. It begins with what the runtime has when it is opened, and stays so while lists are renewed. */
function UpdateSheet({ connection, subject, onClose }: DialogProps) {
  const [fields] = useState(() => changeFields(subject.row))
  const choices = useFlavors(connection, true)
  return (
    <CallSheet
      connection={connection}
      address={runtimes.address}
      asked={{ ...updateRuntime, fields: withFlavors(fields, choices) }}
      subject={subject}
      target={targetOf(runtimes, subject)}
      onClose={onClose}
    />
  )
}

function NewSecret({
  connection,
  subject,
  answer,
  onClose,
}: Pick<DialogProps, 'connection' | 'subject' | 'onClose'> & { readonly answer: ResourceAnswer }) {
  const { t } = useTranslation(['runtimes', 'common'])
  const text = useText()
  return (
    <Sheet
      open
      onOpenChange={(open) => {
        if (!open) onClose()
      }}
      title={text(resetServiceAccount.done, subject.name)}
      description={t('runtimes:reset.toldOnce')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('common:close')}
        </Button>
      }
    >
      {answer.secrets.length === 0 ? <Callout tone="info" title={t('runtimes:reset.noSecret')} /> : null}
      <AnswerView
        answer={answer}
        connectionId={connection.id}
        keepAs={{ kind: 'serviceAccount', name: subject.name }}
      />
    </Sheet>
  )
}

/** Asks with the typed name, then shows what came back: the secret is told this once. */
function ResetDialog(props: DialogProps) {
  const { connection, subject, onClose } = props
  const [answer, setAnswer] = useState<ResourceAnswer>()
  if (answer) return <NewSecret {...{ connection, subject, answer, onClose }} />
  return <ConfirmCall {...props} resource={runtimes} onDone={setAnswer} />
}

const dialogs: Readonly<Record<string, (props: DialogProps) => ReactNode>> = {
  [updateRuntime.id]: UpdateSheet,
  [resetServiceAccount.id]: ResetDialog,
}

/** Does something with a runtime, in the form or question that belongs to it. */
export function RuntimeDialog(props: DialogProps) {
  const Own = dialogs[props.action.id]
  if (Own) return <Own {...props} />
  const { connection, action, subject, onClose, onGone } = props
  return <ActionDialog {...{ connection, action, subject, onClose }} resource={runtimes} onDone={onGone} />
}

/** What runtimes can run on, as choices; none until the platform answered. Asked for while `isWanted`. */
export function useFlavors(connection: ConnectionView | undefined, isWanted: boolean) {
  const { data } = useCall(
    'resources.call',
    { connectionId: connection?.id ?? '', operation: 'runtime.flavors.list' },
    { enabled: isWanted && connection !== undefined },
  )
  return useMemo(() => flavorChoices(rowsOf(data?.data)), [data])
}
