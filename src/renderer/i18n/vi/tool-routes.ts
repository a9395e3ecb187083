import type { toolRelayOff as englishOff, toolRoute as englishRoute } from '../en/tool-routes'
import type { Translation } from '../texts'

/** Words of the way that a tool's requests go, in Vietnamese. */
export const toolRoute: Translation<typeof englishRoute> = {
  label: 'Yêu cầu đi đường nào',
  term: 'Đường đi',
  ways: {
    gateway: 'Thẳng đến gói',
    relay: 'Qua relay của máy này',
  },
  hints: {
    gateway: 'Đến gateway của gói, bằng khóa của gói. Không cần chạy thêm gì.',
    relay:
      'Đến một địa chỉ trên máy này trước; relay ở đó thêm khóa và đếm. Đổi gói hay khóa có hiệu lực ngay, không phải sửa tệp nào; relay phải đang chạy.',
  },
  short: 'qua relay',
  token: 'Khi đi qua relay, công cụ nhận một token riêng thay cho khóa. Token này chỉ mở được relay trên máy này.',
  inForce: 'Relay thêm khóa và đếm. Có thể đổi gói và khóa ở đó mà không phải sửa tệp nào.',
  setsWay: 'Relay sẽ dùng {{plan}} cho {{tool}}, kể từ yêu cầu tiếp theo',
  onlyWay: 'Chỉ đổi gói hoặc khóa ở relay',
  mixed: 'Hiện mỗi công cụ đi một đường; giữ nguyên như vậy nếu bạn không chọn.',
  bound: 'Không có lựa chọn cho: {{tools}}.',
}

/** Words for a tool whose relay does not run, in Vietnamese. */
export const toolRelayOff: Translation<typeof englishOff> = {
  title: 'Relay đang tắt nên {{tool}} không nhận được trả lời',
  text: '{{tool}} đi qua relay của máy này. Hãy bật relay, hoặc trỏ {{tool}} thẳng đến gói.',
  start: 'Bật relay',
  direct: 'Trỏ thẳng đến gói…',
  toRelay: 'Mở trang relay',
}
