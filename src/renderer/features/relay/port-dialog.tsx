import type { RelayView } from '@shared/contract'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, TextInput } from '../../ui/field'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import styles from './relay.module.css'
import { useNameList } from './use-name-list'
import { useRelayActions } from './use-relay'

/** The port that a text names; undefined for what is none that a program of a person may listen on. */
export function readPort(text: string): number | undefined {
  const port = Number(text)
  return /^\d{4,5}$/.test(text.trim()) && port >= 1024 && port <= 65_535 ? port : undefined
}

interface PortDialogProps {
  readonly view: RelayView
  readonly onClose: () => void
}

/** Takes another port and starts the relay on it; says which files hold the present one. */
export function PortDialog({ view, onClose }: PortDialogProps) {
  const { t } = useTranslation(['relay', 'common'])
  const formId = useId()
  const nameList = useNameList()
  const [text, setText] = useState(String(view.port))
  const [isTouched, setIsTouched] = useState(false)
  const { starting } = useRelayActions()
  const port = readPort(text)
  const failure = starting.error?.failure
  const isTaken = failure?.code === 'relay.portInUse'
  const pointed = view.tools.filter(({ isPointedHere }) => isPointedHere)
  const save = (event: FormEvent): void => {
    event.preventDefault()
    setIsTouched(true)
    if (port === undefined || starting.isPending) return
    const onSuccess = (): void => {
      onClose()
      void toast(t('port.done', { port }))
    }
    starting.mutate({ port }, { onSuccess })
  }
  return (
    <Dialog
      open
      size="sm"
      onOpenChange={(open) => {
        if (!open && !starting.isPending) onClose()
      }}
      title={t('port.title')}
      description={t('port.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={starting.isPending}>
            {t('port.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={save} noValidate className={styles.stack}>
        <Field
          label={t('port.label')}
          hint={t('port.hint')}
          error={
            isTouched && port === undefined
              ? t('port.bad')
              : isTaken
                ? t('port.taken', { port: starting.variables?.port })
                : undefined
          }
        >
          <TextInput
            inputMode="numeric"
            autoFocus
            className={styles.port ?? ''}
            value={text}
            onChange={(event) => {
              starting.reset()
              setText(event.target.value)
            }}
          />
        </Field>
        {pointed.length > 0 && port !== view.port ? (
          <p className={styles.about}>
            {t('port.files', { count: pointed.length, tools: nameList(pointed.map(({ toolName }) => toolName)) })}
          </p>
        ) : null}
        {failure && !isTaken ? <ExplainedFailure failure={failure} /> : null}
      </form>
    </Dialog>
  )
}
