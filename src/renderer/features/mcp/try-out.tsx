import type { McpToolName, MethodOutput } from '@shared/contract'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { call, useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Button } from '../../ui/button'
import { Callout } from '../../ui/callout'
import { Field, FieldGroup, TextArea } from '../../ui/field'
import { Card, Section } from '../../ui/page'
import { Select } from '../../ui/select'
import { SkeletonRows } from '../../ui/skeleton'
import { ExplainedFailure } from '../failures'

type Offers = MethodOutput<'mcp.offers'>

/** Calls the server as a coding tool would, with nothing switched on. */
export function TryOut() {
  const query = useCall('mcp.offers', {})
  return (
    <Loaded query={query} skeleton={<SkeletonRows rows={4} />}>
      {(offers) => <Trying offers={offers} />}
    </Loaded>
  )
}

function Trying({ offers }: { readonly offers: Offers }) {
  const { t } = useTranslation('mcp', { keyPrefix: 'tryOut' })
  const [name, setName] = useState<McpToolName>('plans')
  const [input, setInput] = useState('{}')
  const callId = useRef('')
  const trying = useAction('mcp.tryOut', { invalidates: ['mcp'] })
  const offer = offers.find((one) => one.name === name)
  const run = (): void => {
    callId.current = crypto.randomUUID()
    trying.mutate({ callId: callId.current, name, input })
  }
  const stop = (): void => void call('calls.cancel', { callId: callId.current }).catch(() => undefined)
  const choose = (next: string): void => {
    const chosen = offers.find((one) => one.name === next)
    if (chosen) setName(chosen.name)
    trying.reset()
  }
  return (
    <div className="grid grid-cols-2 gap-5">
      <Section title={t('request')}>
        <Card>
          <FieldGroup>
            <Field label={t('tool')} hint={offer?.isReadOnly === false ? t('isOff') : t(`offers.${name}`)}>
              <Select
                value={name}
                onValueChange={choose}
                options={offers.map((one) => ({ value: one.name, label: one.name }))}
              />
            </Field>
            <Field label={t('input')} hint={t('inputHint')}>
              <TextArea
                rows={6}
                className="font-mono"
                value={input}
                onChange={(event) => setInput(event.target.value)}
              />
            </Field>
            <div className="flex gap-2">
              <Button variant="primary" busy={trying.isPending} onClick={run}>
                {t('call')}
              </Button>
              {trying.isPending ? <Button onClick={stop}>{t('stop')}</Button> : null}
            </div>
            <details>
              <summary>{t('schema')}</summary>
              <pre className="max-h-105 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs">
                {offer?.schema}
              </pre>
            </details>
          </FieldGroup>
        </Card>
      </Section>
      <Section title={t('response')}>
        {trying.error ? <ExplainedFailure failure={trying.error.failure} handlers={{ tryAgain: run }} /> : null}
        {trying.data?.isError ? <Callout tone="warning" title={t('failed')} /> : null}
        <Card>
          <pre
            className="max-h-105 overflow-auto whitespace-pre-wrap wrap-anywhere font-mono text-xs"
            aria-label={t('response')}
            role="status"
          >
            {trying.data ? shown(trying.data.text) : t('none')}
          </pre>
        </Card>
      </Section>
    </div>
  )
}

/** JSON over several lines; any other text as it is. */
function shown(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
