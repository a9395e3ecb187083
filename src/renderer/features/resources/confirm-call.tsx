import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../ui/dialog'
import { ProgressBar } from '../../ui/spinner'
import { requestOf } from './form-values'
import type { Resource, ResourceAction, Subject } from './resource'
import { ResourceFailure } from './resource-failure'
import styles from './resources.module.css'
import { targetOf } from './subject'
import { useRun } from './use-run'
import { useText } from './use-text'

export interface DoingProps {
  readonly connection: ConnectionView
  readonly resource: Resource
  readonly action: ResourceAction
  readonly subject: Subject
  readonly onClose: () => void
  readonly onDone: (answer: ResourceAnswer) => void
}

/** What something breaks, line by line. */
export function Breaks({ action, name }: { readonly action: ResourceAction; readonly name: string }) {
  const text = useText()
  const { breaks = [] } = action
  if (breaks.length === 0) return null
  return (
    <ul className={styles.breaks}>
      {breaks.map((line) => (
        <li key={text(line, name)}>{text(line, name)}</li>
      ))}
    </ul>
  )
}

/** Asks before something is done that needs no more words, says what it breaks, and does it. Escape stops waiting for it. */
export function ConfirmCall({ connection, resource, action, subject, onClose, onDone }: DoingProps) {
  const { t } = useTranslation('resources')
  const text = useText()
  const { name } = subject
  const { run, cancel, isRunning, failure } = useRun({
    connectionId: connection.id,
    removes: action.removes,
    onDone,
  })
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => {
        if (open) return
        cancel()
        onClose()
      }}
      title={text(action.title, name)}
      description={
        <div className={styles.question}>
          {action.text ? <p>{text(action.text, name)}</p> : null}
          <Breaks action={action} name={name} />
        </div>
      }
      confirmLabel={text(action.confirm, name)}
      danger={action.isDanger ?? false}
      {...(action.wantsName && name !== '' ? { typeToConfirm: name } : {})}
      busy={isRunning}
      onConfirm={() => run(requestOf(action, {}, targetOf(resource, subject)))}
    >
      {isRunning ? <ProgressBar label={t('working')} /> : null}
      {failure ? <ResourceFailure failure={failure} connection={connection} address={resource.address} /> : null}
    </ConfirmDialog>
  )
}
