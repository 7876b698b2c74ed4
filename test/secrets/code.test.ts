// Code beside the names of secrets: what is an expression is left alone, and what is a secret there is found all the same.
import { parseAst } from 'rolldown/parseAst';
import { describe, expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find.ts';
import { redactText } from '../../src/secrets/redact.ts';

const found = (text: string): string[] => findSecrets(text).map(({ start, end }) => text.slice(start, end));

/** Checks that the findings are the texts between `«` and `»`. */
function expectMarked(template: string): void {
  const [before = '', secret, after = ''] = template.split(/[«»]/);
  expect(found(before + (secret ?? '') + after)).toEqual(secret === undefined ? [] : [secret]);
}

const SECRET = 'Kalomi42!x';
const DOTTED = 'aB3.xY9.zQ2';

test.each([
  `call Decho("s:netrw_passwd <".s:netrw_passwd.">",'~'.expand("<slnum>"))`,
  `echo "pass <".$passwd.">, ".$b2x."!";`,
  "$text = 'password: '.$password.'=Ab3kX9'.$b;",
])('a dot behind a name joins a text to it: %s', (text) => expect(found(text)).toEqual([]));

describe('minified code is left alone', () => {
  const statements = [
    // One of two, in any quotes.
    'x=a?`password`:b.kind===`text`',
    'x=a?"password":b.kind==="text"',
    "k=t.kind==='password'?'password':t.kind==='secret'?'secret':t.k9Z",
    "inputType=v?'password':aE3.kZ9['text']",
    'x=a?"new-password":b.k2Q9z',
    'x=a?"Enter the password":b.k2Q9z',
    'x=a?password:c.k2.z9Q',
    'x=a ? cfg.password : cfg.b2Xy9z',
    'x=a?e.secret:kZ9qX2pL7bQ8w',
    // Objects.
    'x={password:b4.z7.kX2Qq9,token:Q4z}',
    'x={password:b4.z7.kX2Qq9}',
    'f({user:e.u,password:b4.z7.kX2Qq9})',
    'f({ password: cfg.b2Xy9z })',
    'f({a:"label: ",password:e.k2Q9z,q:1})',
    "x={'password':a1.b2Xy9,'token':t2}",
    'x={"password":e.b2Xy9+1}',
    'x={password:kZ9x[3].a}',
    'x={password:kZ9xQ2(3)}',
    'x={password:-aE3.kZ9}',
    'x={password:!aE3.kZ9}',
    'x={password:void 0,token:void 0}',
    'x={password:new kX2.Qq9}',
    'x={password:aE3kZ9=>q.b}',
    'x={password:e?.kX2?.Qq9}',
    'x={password:e??kX2.Qq9}',
    'x={password:e.kX2||kX2.Qq9}',
    'x={password:e.k2?kX2Qq9:tZ3}',
    'x={password:e.k2Z9 instanceof Q}',
    'x={password:`a$' + '{a2}b3c4`}',
    'x={password:_0x3f2a1b,token:_0x1a2b3c}',
    'x=e=>({...e,password:t.b2Xy9})',
    'const{password:aE3k9Z,token:kZ9}=e',
    // Assignments and comparisons.
    'e.password=b4.z7.kX2Qq9;',
    'e.k(),e.password=t.b2Xy9,n.x=3',
    'e["password"]=t.b2Xy9',
    'e.password=Zx9(t.Qa8),n',
    'token=this.aB3dE5fG7hI9jK2lM4',
    '$.password=Mx7nQ2p9;',
    '_$.password=Mx7nQ2p9;',
    'e.password??=aE3.kZ9;',
    'let password=aE3.kZ9,b=2;',
    'didItDuringThisPass=didItRender2=!0;',
    'exports.CUSTOM_AUTH_END=exports.CUSTOM_AUTH_START=exports.Sizes2=void 0;',
    'x=r.keywordToken===e.NewKeyword2Token?1:0',
    'x=e.password==t.a2b.c3D?1:0',
    'x=e.password>kZ9.b2x',
    'if (password>=minLength2024) {',
    'echo $password>out2X9file',
    'ul.password>li2X9kk',
    '$user->password->hash2Value9;',
    'mapboxToken: "pk.eyJ1IjoiYWNtZSIsImEiOiJjiBZTTgYmhZ323qaZIHjh.6XX7J-JrE8y8UU6XoODutQ"',
    'x={passwordVerifier: buffer2/* Buffer */.hp.from(a)}',
    'switch(e){case"password":t.k2=e.Zq9;break;case `secret`:t.k3Z.qX2pL7bQ8=1}',
    // Between two texts.
    'a.createElement("label",null,"Password:"),K?a.createElement("b"):0',
    'passwordPrompt="npm password: ",usernamePrompt="npm username: "',
    't("Enter the (new) password: "+e.k2Z9x+", ")',
    'x("sshpass -p "+e.k2Z9+" ssh "+y)',
  ];

  test.each(statements)('%s', (code) => {
    expect(found(code)).toEqual([]);
    // So it stands in a line of a transcript that is not decoded.
    expect(found(`{"text":${JSON.stringify(`function f(e){${code}}`)}}`)).toEqual([]);
  });

  test.each([
    'input[type=password]:focus-visible{outline:2px}.a[type="password"]:not(.b2-kZ9){color:#fff}',
    '.icon-password:before{content:"\\f1a2"}',
    "$a['password']=$b->c2X9;$this->password=$b->c2X9;",
    "['password'=>$b->c2X9,'token'=>$q]",
    'd=dict(user=u,password=a1.b2Xy9,token=c);self.password=a1.b2Xy9',
    'f=lambda password:a1.b2Xy9',
    '<input type={v?"password":aE3.kZ9}/>',
    '_e("input",{attrs:{type:t.show2?"text":"password"},domProps:{value:t.p2}})',
    'requirepass |masterauth |zip -P |openssl enc',
    // As a line of its own.
    'e.password=Zx9(t.Qa8),n',
    'this.password=Zx9(t.Qa8),n',
    'token=this.aB3dE5fG7hI9jK2lM4',
    '$.password=Mx7nQ2p9;',
    '_$.password=Mx7nQ2p9;',
    'raw`(?:sshpass -p ?|(?:(?:docker|podman|helm registry) login|twine upload) `',
  ])('%s', (code) => expect(found(code)).toEqual([]));
});

describe('a secret in minified code is found', () => {
  test.each([
    `f({password:"«${SECRET}»",token:t.k2Q9z})`,
    `f({password:t.k2Q9z,secret:"«aB3kZ9qX2pL7bQ8wX3yZ»"})`,
    `x=e=>({...e,password:"«${DOTTED}»"})`,
    `e.k(),e.password='«${SECRET}»',n.x=3`,
    `x=a?"password: «${SECRET}»":b`,
    `e=>f(e.k(),"user=joe,password=«${DOTTED}»,x=1")`,
    `e=>f(e.k(),"--set db.user=x,db.password=«${DOTTED}»,db.z=1")`,
    `e=>f(e.k(),"https://example.net/y?user=joe&password=«${DOTTED}»")`,
    `x("a","password=«${DOTTED}»","b")`,
    `x("sshpass -p «${SECRET}» ssh")`,
    'x={password:`«Kalomi42!$' + '{x}x»`}',
  ])('%s', expectMarked);

  test('the code around a secret can be read after redaction', () => {
    const code = `x=e=>({...e,password:"${SECRET}",kind:v?"password":b4.z7.kX2Qq9,token:e.k2Z9x});`;
    const { text, findings } = redactText(code, undefined, () => '00c0ffee');
    expect(findings).toEqual({ password: 1 });
    expect(() => parseAst(text, { lang: 'js' })).not.toThrow();
  });
});

describe('what looks like an expression is a secret elsewhere', () => {
  test.each([
    `password: «b4.z7-kX2!q9»`,
    `password: «${DOTTED}»`,
    `a: 1\n  password: «${DOTTED}»\nb: 2`,
    `- password: «${DOTTED}»`,
    `auth: { user: joe, password: «${DOTTED}» }`,
    `DB_PASSWORD=«${DOTTED}»`,
    `{"Env":["A=b","DB_PASSWORD=«${DOTTED}»"]}`,
    `{"out":"A=b\\nDB_PASSWORD=«${DOTTED}»\\nX=1"}`,
    'DB_PASSWORD=«b4-z7=kX2Qq9»',
    `spring.datasource.password=«${DOTTED}»`,
    'db.password=«Zx9(t.Qa8),n»',
    'PASSWORD=«Zx9(t.Qa8),n»',
    'API_TOKEN=«this.aB3dE5fG7hI9jK2lM4»',
    '$password=«Mx7nQ2p9»;',
    `a=1\ndb.password = «${DOTTED}»\nb=2`,
    `helm install x --set db.user=joe,db.password=«${DOTTED}»,db.x=1`,
    `Password=«${DOTTED}»;Server=a`,
    `Server=a;db.password=«aB3xY9zQ2»;`,
    `url: \${DB_PASSWORD:-«${DOTTED}»}`,
    `TOKEN=\${API_TOKEN:-«SKm2mOfLKw6N1jXZDQe»}`,
    `export API_TOKEN="\${API_TOKEN:=«SKm2mOfLKw6N1jXZDQe»}"`,
    `url: \${db.password:«${DOTTED}»}`,
    `User(name=joe, password=«${DOTTED}», age=3)`,
    `ok (user=joe,password=«${DOTTED}»)`,
    `{user=joe, password=«${DOTTED}»}`,
    `{User:joe Password:«${DOTTED}» Host:x}`,
    `user: joe, password: «${DOTTED}», host: db`,
    `user[password]=«${DOTTED}»&commit=Login`,
    `login?user.password=«${DOTTED}»&x=1`,
    `<password>«${DOTTED}»</password>`,
    `<jdbc.password>«${DOTTED}»</jdbc.password>`,
    `In that case password: «${DOTTED}»`,
    `Forgot it? password: «${DOTTED}»`,
    'password: «Hunter2??»',
    `PASSWORD='«+aB3xY9+»'`,
    `user="joe" password="«+aB3xY9+»"`,
  ])('%s', expectMarked);
});

describe('the text of an element whose attribute has a dotted name', () => {
  const VALUES = [
    'Xk9.qW2zLp',
    'Zk8-Qw3x7Lp2',
    'a1B2-c3D4*e5',
    'kZ9xQ2bL7mT3p',
    'b4.z7-kX2!q9',
    'Zk8Qw3x7/Lp2aB3kZ9qX==',
  ];

  test.each(VALUES)('%s', (value) => {
    for (const element of [
      `<property name="javax.persistence.jdbc.password">«${value}»</property>`,
      `<entry key='db.password'>«${value}»</entry>`,
      `<prop key="app.password" type='x'\n  alias="db.password">«${value}»</prop>`,
      `<entry key="spring/db.password">«${value}»</entry>`,
      `  name="db.password">«${value}»</property>`,
      `<name key=db.password>«${value}»</name>`,
      `<string name="app.password">«${value}»`,
      `<property name="a.password"><![CDATA[«${value}»]]></property>`,
      `<a name=&quot;db.password&quot;>«${value}»</a>`,
    ])
      expectMarked(element);
    const element = `<entry key="db.password">${value}</entry>`;
    const json = JSON.stringify({ text: element });
    const asPhp = json.replaceAll('/', '\\/');
    const asNet = json.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('\\"', '\\u0022');
    for (const written of [json, JSON.stringify({ json }), asPhp, asNet]) expect(found(written)).toHaveLength(1);
  });
});

describe('a secret in quotes that begins and ends with a sign', () => {
  const KEY = '+Zk3xQ9vB7mT2pL8R4wY=';

  test.each([
    `echo "Now:" && PASSWORD="«${KEY}»" ./run`,
    `connect("postgres://h/db?", password="«${KEY}»")`,
    `echo "Now:"; sshpass -p "«${KEY}»" ssh h`,
    `sh -c 'echo Now:'; sshpass -p '«-Xk9qW2!zL+»' ssh h`,
    'const t = "x="; const password = "«-Xk9qW2zLp81!»";',
    'const t = "x=", u = "?"; const password = "«-Xk9qW2zLp81!»";',
    "const t = 'x='; const password = '«-Xk9qW2zLp81!»';",
    `don't say 'x=', password = '«-Xk9qW2zLp81!»'`,
    String.raw`{"out":"it is\n'x='\n'y'; password='«-Xk9qW2zLp81!»'"}`,
    's.replace(/"/g, "="); password = "«-Xk9qW2zLp81!»";',
    `it's 5" wide, "x=", PASSWORD="«${KEY}»"`,
    `a:"it's", b:'"', t:"x=", password:"«-Xk9qW2zLp81!»"`,
    `the end:" of it" && PASSWORD="«-Xk9qW2zLp81!»"`,
    'const t = "a\\n="; const password = "«-Xk9qW2zLp81!»";',
  ])('%s', (template) => {
    expectMarked(template);
    // So far from the beginning of its line that it cannot be seen.
    expectMarked(`${'let kind = "plain", last = "red"; '.repeat(20)}${template}`);
    expectMarked(JSON.stringify({ text: template }));
  });

  test.each([
    'a.createElement("label",null,"Password:"),K?a.createElement("b"):0',
    't("Enter the (new) password: "+e.k2Z9x+", ")',
    "don't.t('Enter the (new) password: '+e.k2Z9x+', ')",
    'return"password: "+e.k2Z9x+", "',
    "return'password: '+e.k2Z9x+', '",
    'x=\'"\',t("Password: "+e.k2Z9x+", ")',
    't("a\\n","Password: "+e.k2Z9x+", ")',
  ])('finds no secret between two texts: %s', (code) => {
    for (const before of ['', 'x=a("b","c")+"d e:";', 'var a="b",c=[`d`,\'e\'],f="g h";'.repeat(20)]) {
      expect(found(before + code)).toEqual([]);
      expect(found(JSON.stringify({ text: before + code }))).toEqual([]);
    }
  });
});
