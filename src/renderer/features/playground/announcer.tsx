import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBody } from './bodies'
import { isUnderWay } from './run-entries'
import { useRunHead, useRuns } from './runs-store'

/** So much of an answer is read out, in characters. */
const longestSaid = 1500

/** Tells a screen reader once that an answer is there, with its beginning; never while it comes. */
export function Announcer({ messageId }: { readonly messageId: string | undefined }) {
  const { t } = useTranslation('playground')
  const body = useBody(messageId)
  const told = body?.run
  const live = useRunHead(told && isUnderWay(told) ? told.id : undefined)
  const wasUnderWay = useRef(false)
  const [said, setSaid] = useState('')
  useEffect(() => {
    if (!live) return
    if (isUnderWay(live)) {
      wasUnderWay.current = true
      setSaid('')
    } else if (wasUnderWay.current) {
      wasUnderWay.current = false
      const text = useRuns.getState().entries[live.id]?.live?.answer.text ?? ''
      setSaid(live.state === 'failed' ? t('chat.failed') : `${t('chat.finished')} ${text.slice(0, longestSaid)}`)
    }
  }, [live, t])
  return (
    <div className="sr-only" role="status">
      {said}
    </div>
  )
}
