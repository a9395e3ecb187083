import { minuteMs } from '@shared/durations'
import type { PdfProblem, PdfResult } from './pdf-text'

export const isPdf = ({ name, type }: Pick<File, 'name' | 'type'>): boolean =>
  type === 'application/pdf' || /\.pdf$/i.test(name)

/** Text of a PDF as a text file. Reads it in a worker for at most a minute, so that no file can block the window. */
export async function toTextFile(file: File): Promise<File | PdfProblem> {
  const bytes = await file.arrayBuffer()
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  try {
    const result = await new Promise<PdfResult>((resolve) => {
      setTimeout(() => resolve('unreadable'), minuteMs)
      worker.onerror = () => resolve('unreadable')
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = ({ data }: MessageEvent<PdfResult>) => resolve(data)
      worker.postMessage(bytes, [bytes, port2])
    })
    return typeof result === 'string' ? result : new File([result.text], file.name, { type: 'text/plain' })
  } finally {
    worker.terminate()
  }
}
