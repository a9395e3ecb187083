import type { PlaygroundAttachment } from '@shared/contract'
import { call } from '../../ipc'

const imageTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const mebibyte = 1024 * 1024
const largest = { image: 5 * mebibyte, text: mebibyte } as const

/** At most so many go along with a message. */
export const mostAttachments = 20

/** What is wrong with a file before it is read; main looks at its content. */
export function fileTrouble({ type, size }: Pick<File, 'type' | 'size'>): 'tooLarge' | undefined {
  return size > largest[imageTypes.includes(type) ? 'image' : 'text'] ? 'tooLarge' : undefined
}

async function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => {
      const address = String(reader.result)
      resolve(address.slice(address.indexOf(',') + 1))
    }
    reader.onerror = () => reject(reader.error ?? new Error('The file could not be read.'))
    reader.readAsDataURL(file)
  })
}

/** Hands a file to main, which looks at what it is and keeps it. */
export async function attach(file: File): Promise<PlaygroundAttachment> {
  const base64 = await base64Of(file)
  const name = file.name === '' ? 'image.png' : file.name.slice(-255)
  return call('playground.attach', { name, mediaType: file.type.slice(0, 100), base64 })
}
