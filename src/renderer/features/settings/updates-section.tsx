import type { UpdatesView } from '@shared/contract'
import { ChevronRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ExplainedFailure } from '../../failures'
import { useFormats } from '../../format'
import { useAction, useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { RelativeTime } from '../../relative-time'
import { useSettingAction } from '../../toast-actions'
import { type Action, renderActions } from '../../ui/button'
import { Markdown } from '../../ui/markdown/markdown'
import { Meter } from '../../ui/meter'
import { Card, Section } from '../../ui/page'
import { SegmentedControl } from '../../ui/radio-cards'
import { ControlRow } from '../../ui/rows'
import { SwitchRow } from '../../ui/switch'
import { Hint } from '../../ui/text'
import { ReplacedNotice } from './index'

const channels = ['stable', 'beta'] as const

export function UpdatesSection() {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const query = useCall('updates.get', {})
  return (
    <Section title={t('title')}>
      <Loaded query={query} rows={2}>
        {(view) => (
          <>
            {view.isReplaced ? <ReplacedNotice /> : <UpdateState view={view} />}
            {view.state.kind === 'off' ? null : <Choices view={view} />}
          </>
        )}
      </Loaded>
    </Section>
  )
}

function UpdateState({ view }: { readonly view: UpdatesView }) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const { locale } = useFormats()
  const { download, buttons } = useUpdateActions(view)
  const { state, version } = view
  const release = 'release' in state ? state.release : undefined
  const notes = release?.notes[locale] ?? release?.notes.en ?? ''
  const title = ((): string => {
    if (state.kind === 'off') return t(`off.${state.reason}`)
    if (state.kind === 'checking') return t('checking')
    if (state.kind === 'failed') {
      return release === undefined ? t('checkFailed') : t('downloadFailed', { version: release.version })
    }
    if (state.kind === 'ready') return t('ready', { version: state.release.version })
    if (state.kind === 'downloading') return t('downloading', { version: state.release.version })
    if (release !== undefined) return t('available', { version: release.version })
    return view.checkedAt === undefined ? t('notChecked') : t('upToDate')
  })()
  return (
    <Card>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-[1_1_220px]" role="status">
          <p className="font-medium">{title}</p>
          <Hint>
            {t('installed', { version })}
            {view.checkedAt === undefined ? null : (
              <>
                {' · '}
                {t('checked')} <RelativeTime at={view.checkedAt} />
              </>
            )}
          </Hint>
        </div>
        <div className="ml-auto flex items-center gap-2">{renderActions(buttons, 'sm')}</div>
      </div>
      {state.kind === 'downloading' ? <Download {...state} /> : null}
      {state.kind === 'ready' && state.isAtQuit ? <Hint>{t('atQuit')}</Hint> : null}
      {state.kind === 'available' && view.by === 'system' ? <Hint>{t('bySystem')}</Hint> : null}
      {release !== undefined && notes !== '' ? (
        <details className="group mt-2.5">
          <summary className="flex w-max max-w-full items-center gap-1.5 rounded-sm text-soft hover:text-text">
            <ChevronRight size={12} strokeWidth={2} aria-hidden="true" className="group-open:rotate-90" />
            {t('notes', { version: release.version })}
          </summary>
          <div className="mt-1.5 max-h-60 overflow-auto text-soft">
            <Markdown text={notes} />
          </div>
        </details>
      ) : null}
      {state.kind === 'failed' ? (
        <div className="mt-2.5">
          <ExplainedFailure failure={state.failure} handlers={{ tryAgain: release && download }} />
        </div>
      ) : null}
    </Card>
  )
}

function useUpdateActions({ state, by }: UpdatesView) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const options = { invalidates: ['updates'] } as const
  const check = useAction('updates.check', options)
  const { mutate: startDownload } = useAction('updates.download', options)
  const { mutate: cancel } = useAction('updates.cancel', options)
  const { mutate: install } = useAction('updates.install', options)
  const { mutate: openLink } = useAction('app.openLink')
  const download = (): void => startDownload({})
  const listButtons = (): readonly (Action | false)[] => {
    if (state.kind === 'off') return []
    if (state.kind === 'downloading') return [{ label: t('cancel'), onClick: () => cancel({}) }]
    if (state.kind === 'ready')
      return [
        !state.isAtQuit && { label: t('installAtQuit'), onClick: () => install({ when: 'atQuit' }) },
        { label: t('restart'), variant: 'primary', onClick: () => install({ when: 'now' }) },
      ]
    if (state.kind === 'available' && by === 'app')
      return [{ label: t('download'), variant: 'primary', onClick: download }]
    const page = state.kind === 'available' ? state.release.page : undefined
    if (page !== undefined)
      return [{ label: t('openPage'), variant: 'primary', onClick: () => openLink({ url: page }) }]
    const busy = check.isPending || state.kind === 'checking'
    return [{ label: t('check'), busy, onClick: () => check.mutate({}) }]
  }
  return { download, buttons: listButtons() }
}

function Download({ doneBytes, totalBytes }: Extract<UpdatesView['state'], { kind: 'downloading' }>) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const { bytes } = useFormats()
  const label = t('progress', { done: bytes(doneBytes), total: bytes(totalBytes) })
  return (
    <div className="mt-2.5 grid gap-1">
      <Meter label={label} value={doneBytes / totalBytes} text={label} />
      <Hint>{label}</Hint>
    </div>
  )
}

function Choices({ view }: { readonly view: UpdatesView }) {
  const { t } = useTranslation('settings', { keyPrefix: 'updates' })
  const { mutate: change } = useSettingAction('updates.change', { invalidates: ['updates'] })
  return (
    <Card flush>
      <SwitchRow
        checked={view.isAutomatic}
        onCheckedChange={(isAutomatic) => change({ isAutomatic })}
        label={t(view.by === 'app' ? 'automatic' : 'automaticSystem')}
        hint={t(view.by === 'app' ? 'automaticHint' : 'automaticHintSystem')}
      />
      <ControlRow
        label={t('channel')}
        hint={t('channelHint')}
        control={
          <SegmentedControl
            label={t('channel')}
            value={view.channel}
            segments={channels.map((value) => ({ value, label: t(`channels.${value}`) }))}
            onValueChange={(channel) => change({ channel })}
          />
        }
      />
    </Card>
  )
}
