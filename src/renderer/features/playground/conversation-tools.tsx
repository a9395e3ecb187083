import type { OutlineItem } from '@shared/contract'
import { ChevronDown, ChevronUp } from 'lucide-react'
import { useDeferredValue, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useCall } from '../../ipc'
import { Loaded } from '../../loaded'
import { Badge } from '../../ui/badge'
import { joinClassNames } from '../../ui/cn'
import { Dialog } from '../../ui/dialog'
import { IconButton } from '../../ui/icon-button'
import { SearchField } from '../../ui/search-field'
import { useChatView } from './use-chat'

/** Finds a text in the visible branch of the conversation. Enter goes to the next match. */
export function FindField(props: { readonly conversationId: string; readonly lastId: string }) {
  const { t } = useTranslation('playground')
  const [text, setText] = useState('')
  const [step, setStep] = useState(0)
  const searchText = useDeferredValue(text.trim())
  const { data: ids = [] } = useCall(
    'playground.find',
    { conversationId: props.conversationId, messageId: props.lastId, text: searchText },
    { enabled: searchText !== '' },
  )
  const index = ids.length === 0 ? 0 : ((step % ids.length) + ids.length) % ids.length
  const currentMatchId = searchText === '' ? undefined : ids[index]
  useEffect(() => useChatView.setState({ found: currentMatchId }), [currentMatchId])
  const move = (by: number): void => setStep((previousStep) => previousStep + by)
  const change = (nextText: string): void => {
    setText(nextText)
    setStep(0)
  }
  return (
    <div className="flex items-center">
      <SearchField
        className={joinClassNames('flex-none', text === '' ? 'w-34 focus-within:w-48' : 'w-48')}
        label={t('find.label')}
        hasFindKey
        maxLength={200}
        value={text}
        onChange={change}
        onSubmit={(submitted) => submitted !== '' && move(1)}
        {...(searchText !== '' && { found: { shown: ids.length === 0 ? 0 : index + 1, count: ids.length } })}
      />
      {ids.length < 2 ? null : (
        <>
          <IconButton icon={ChevronUp} label={t('find.previous')} onClick={() => move(-1)} />
          <IconButton icon={ChevronDown} label={t('find.next')} onClick={() => move(1)} />
        </>
      )}
    </div>
  )
}

/** Dialog with the branches of a conversation. Each row shows the first words of a message. */
export function OutlineDialog(props: {
  readonly conversationId: string
  readonly onChoose: (messageId: string) => void
  readonly onClose: () => void
}) {
  const { conversationId, onChoose, onClose } = props
  const { t } = useTranslation('playground')
  const outline = useCall('playground.outline', { id: conversationId })
  const row = ({ id, role, depth, preview, modelCode, isShown }: OutlineItem) => (
    <li key={id} style={{ paddingLeft: Math.min(depth, 8) * 20 }}>
      <button
        type="button"
        className="flex w-full items-center gap-2 rounded-md px-2 py-1.5 text-left hover:bg-hover"
        aria-current={isShown || undefined}
        onClick={() => {
          onChoose(id)
          onClose()
        }}
      >
        <span className="flex-none text-muted text-sm">{role === 'user' ? t('chat.you') : modelCode}</span>
        <span className={joinClassNames('min-w-0 flex-1 truncate', isShown && 'font-medium')}>{preview || '…'}</span>
        {isShown ? <Badge tone="accent">{t('outline.shown')}</Badge> : null}
      </button>
    </li>
  )
  return (
    <Dialog title={t('outline.title')} description={t('outline.text')} onClose={onClose}>
      <Loaded query={outline} rows={4}>
        {(items) => <ul className="flex flex-col">{items.map(row)}</ul>}
      </Loaded>
    </Dialog>
  )
}
