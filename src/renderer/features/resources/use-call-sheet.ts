import type { ConnectionView, ResourceAnswer } from '@shared/contract'
import { useState } from 'react'
import { toast } from '../../ui/toast'
import { type FormValues, requestOf, type Target } from './form-values'
import type { FormField, ResourceCall, Subject } from './resource'
import { useCallForm, useRefusedField } from './use-form'
import { useRun } from './use-run'
import { useText } from './use-text'

interface Asked {
  readonly connection: ConnectionView
  readonly asked: ResourceCall
  readonly subject?: Subject | undefined
  readonly target: Target
  readonly onClose: () => void
  readonly onDone?: ((answer: ResourceAnswer, name: string) => void) | undefined
  /** The answer is shown in another way. */
  readonly hasOwnAnswer: boolean
}

function nameIn(fields: readonly FormField[], values: FormValues): string {
  const field = fields.find(({ id }) => id === 'name')
  const value = field && values[field.id]
  return typeof value === 'string' ? value.trim() : ''
}

/** A call's form and its run: what is filled in, what is sent, and what came back when there is something to see in it. */
export function useCallSheet({ connection, asked, subject, target, onClose, onDone, hasOwnAnswer }: Asked) {
  const text = useText()
  const [answer, setAnswer] = useState<ResourceAnswer>()
  const called = useCallForm(asked, subject)
  const { form, fields } = called
  const name = (): string => subject?.name ?? nameIn(fields, form.getValues())
  const running = useRun({
    connectionId: connection.id,
    onDone: (came) => {
      onDone?.(came, name())
      if (came.secrets.length > 0 || asked.showsAnswer || hasOwnAnswer) return setAnswer(came)
      void toast(text(asked.done, name()))
      onClose()
    },
  })
  useRefusedField({ failure: running.failure, fields, setError: form.setError })
  const send = form.handleSubmit((values) => running.run(requestOf(asked, values, target)))
  return { ...called, ...running, send, name, answer }
}
export type CallSheetState = ReturnType<typeof useCallSheet>
