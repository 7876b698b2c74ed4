/** What the commonest short answers mean in German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese and Korean. */
import type { Sign } from './lexicon.ts';
import type { PhraseTable } from './phrases.ts';

export const OTHER_LANGUAGES: PhraseTable<Sign> = {
  approve:
    'bin/sind zufrieden | hab/habe/habs es getestet/probiert/geprüft | habs getestet/probiert/geprüft | ich hab/habe es getestet/probiert/geprüft | hat geklappt | alles bestens | erledigt | tout est bon | só isso | ficou/quedó bom/ótimo/perfeito/bien/perfecto/genial | работает | круто | gut | sehr gut | kann so bleiben | bleibt so | so lassen | klappt | läuft | top | tiptop | sieht gut aus | super | perfekt | passt | passt so | prima | klasse | toll | ausgezeichnet | wunderbar | genau so | funktioniert | einwandfrei | fertig | das war/ist alles | das war/wars schon | das wars | wars das | mehr brauche ich nicht | ' +
    'parfait | cest bon | cest parfait | cest tout bon | bien | très bien | tres bien | ça marche | ca marche | génial | genial | nickel | impeccable | excellent | ça me va | ca me va | cest super | cest tout | ce sera tout | ça/ca sera tout | rien dautre | ' +
    'perfecto | se ve bien | está bien | esta bien | muy bien | genial | excelente | funciona | listo | bueno | todo bien | eso es todo | es todo | eso era todo | perfetto | bellissimo | stupendo | va bene/benissimo | ottimo | benissimo | bene | è/e tutto | funziona | perfeito | ótimo | otimo | muito bom | está/tá/ta ótimo/bom | é/e tudo | é isso | legal | ' +
    'goed | работает | всё/все работает | prima | mooi | ziet er goed uit | dat is/was alles | это всё/все | отлично | хорошо | супер | идеально | готово | всё хорошо | ' +
    '完美 | 很好 | 不错 | 没问题 | 看起来不错 | 看起来很好 | 非常好 | 太好了 | 太棒了 | 很棒 | 可以了 | 就这样 | 就这些 | 搞定 | 完成 | 好极了 | 完璧 | いいですね | いいね | 良さそう | 良さそうです | よさそう | よさそうです | 問題ありません | 問題ない | 問題なし | 大丈夫 | 大丈夫です | 素晴らしい | 最高 | バッチリ | 以上です | オッケー | いい感じ | いい感じです | 좋아요 | 좋습니다 | 완벽해요 | 완벽합니다',
  thanks:
    'valeu | danke | danke schön | dankeschön | vielen dank | danke dir | schönes wochenende | schönen tag/abend/feierabend | bonne journée/soirée | bon week-end | buen fin de semana | merci | merci beaucoup | gracias | muchas gracias | grazie | grazie mille | mille grazie | obrigado | obrigada | muito obrigado/obrigada | bedankt | dank je | спасибо | большое спасибо | 谢谢 | 多谢 | 感谢 | 謝謝 | ありがとう | ありがとうございます | ありがとうございました | 감사합니다 | 고마워',
  yes: 'ja | jo | jep | jawohl | klar | einverstanden | in ordnung | genau | stimmt | oui | ouais | bien sûr | daccord | dac | sí | si | claro | vale | de acuerdo | sim | certo | да | ага | ок | хорошо | 是 | 是的 | 对 | 对的 | 好 | 好的 | 好吧 | 行 | 可以 | 嗯 | 没错 | はい | ええ | うん | そうです | 了解 | 了解です | お願いします | 承知しました | 네 | 예 | 응',
  no: 'nein | nee | nö | non | não | nao | нет | 不 | 不是 | 不对 | 不行 | 不用 | いいえ | いや | 違う | 違います | 아니요 | 아니',
  stop:
    'on arrête/arrete | stopp | abbrechen | abbruch | brich ab | hör auf | aufhören | arrête | arrete | arrêtez | arrête tout | annule | annule tout/ça | annuler | annulez | detente | para | cancela | cancelar | cancélalo | basta | ferma | fermati | annulla | ' +
    'pare | parar | cancele | стоп | отмена | отмени | 停 | 停止 | 停下 | 取消 | 别做了 | 中止 | 止めて | やめて | やめてください | 止めてください | やめる | キャンセル | ストップ | 취소 | 그만 | 멈춰',
  dismiss:
    'vergiss es/das | lass es | lass gut sein | lass das | laisse tomber | on laisse tomber | oublie | oublie ça | oublie ca | tant pis | olvídalo | olvidalo | déjalo | dejalo | lascia stare | lascia perdere | deixa pra lá | esquece | ' +
    'laat maar | забудь | неважно | 算了 | 不用了 | 不要了 | 放弃 | 忘れて | 忘れてください | もういい | もういいです',
  takeover:
    'ich mach/mache es/das selbst/selber | das mach/mache ich selbst/selber | mach/mache ich selbst/selber | je le fais/ferai moi-même | je men occupe | lo hago yo | ya lo hago yo | yo lo hago | lo faccio io | eu faço isso | я сам сделаю | 我自己来 | 自分でやります',
  leave: 'das reicht | ça/ca suffit',
  hold: 'warte | warte mal | moment | einen moment | moment mal | attends | attendez | un instant | espera | un momento | aspetta | espera aí | wacht | подожди | 等等 | 等一下 | 稍等 | 待って | ちょっと待って | 待ってください | 잠깐',
  go: 'ja bitte | ja gern | ja gerne | ja bitte mach das | oui sil te plaît | oui sil te plait | oui sil vous plaît | oui svp | sí por favor | si por favor | weiter | mach weiter | weitermachen | mach das | mach es | los | continue | continuez | vas y | allez y | continúa | continua | sigue | adelante | hazlo | continua | vai | prossegui | ga door | продолжай | давай | 继续 | 请继续 | 继续吧 | 続けて | 続けてください | 続行 | 進めて | 進めてください | 계속',
  pick: 'egal | mir egal | ist egal | no importa | me da igual | peu importe',
  publish:
    'on peut merger/commit/committer/commiter/pousser/pusher/fusionner | tu peux commit/committer/commiter/pousser/pusher/merger/fusionner | tu peux le commit/pousser/merger | sube los cambios | sube el commit | puedes subir los cambios | puedes hacer commit/push/merge | du kannst committen/pushen/mergen | kannst du committen/pushen/mergen | committen | commite | committe | mergen | merge es | pushen | pushe | pushe es | veröffentlichen | commite | fusionne | pousse | committe | haz commit | haz push | haz merge | fusiona | 提交 | 提交代码 | 合并 | 推送 | 发布 | 上线 | コミットして | コミットしてください | コミット | プッシュして | プッシュしてください | マージして | マージしてください | 커밋해줘 | 푸시해줘 | 머지해줘',
  negate:
    'top of/left/right/bottom/level/bar/row/line/to/margin/nav/menu/half/part/5/10 | the/a/this top | top one/option/two/three | kannst/können/könntest nicht | 不要 | 别',
  glue: 'kannst/könntest/kannste du | können/könnten wir | du kannst | nun | nochmal | das | so | bitte | aber ja | es | alles | jetzt | mir | für | fur | mich | sieht | aus | cest | ça | ca | moi | pour | tout | sil te plaît | sil te plait | sil vous plaît | svp | me | parece | por favor | todo | eso | esto | está | esta | così | cosi | per | tudo | isso | пожалуйста | всё | это | все | 了 | 吧 | 的 | 啊 | 呢 | 请 | 这个 | 那个 | 这样 | です | ね | よ | で | これで | それで | これ | それ | ます | ください',
};
